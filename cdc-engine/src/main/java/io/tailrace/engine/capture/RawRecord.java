package io.tailrace.engine.capture;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A row, or an operator's act, as it goes to a raw topic.
 *
 * @param topic one of the two raw topics
 * @param key UTF-8 of the ordering key, else of the row id
 * @param value the payload's bytes as PostgreSQL holds them; null when {@code tailrace-payload} says null or omitted, and on control
 * @param headers what the row says of itself, then its own headers
 */
public record RawRecord(String topic, Bytes key, @Nullable Bytes value, Headers headers) {}
