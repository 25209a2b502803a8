package io.tailrace.engine.source;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row as its table holds it, in the form in which it would have come out of the log.
 *
 * @param command whether it is of the command table
 * @param writtenMicros when it was written, microseconds since 1970: {@code occurred_at} or {@code created_at}, as the instant of the
 *     commit is in no column
 * @param xid 32 bits: the transaction that wrote this version of it
 * @param columns the captured ones by name: text but for {@code event_version} (Integer) and {@code payload_binary} (byte[])
 */
public record TableRow(boolean command, long writtenMicros, long xid, Map<String, @Nullable Object> columns) {}
