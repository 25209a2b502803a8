package io.tailrace.executor.handler;

import io.tailrace.client.Commands;
import io.tailrace.client.Outbox;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * One run of one command: everything here comes from its locked row. Valid until the handler returns, on the handler's thread.
 */
public interface CommandContext {

    /** The row id: the idempotency key for effects outside the database. */
    UUID id();

    /** The source that the row is in, as the configuration names it: the name of its database unless it has another. */
    String source();

    /** The command name as it stands in the row. */
    String name();

    /** N of a {@code .vN} at the end of the name, else 1. */
    int version();

    /** Rows of one key run one after the other, in the order in which they became due. */
    Optional<String> orderingKey();

    /** The payload's bytes as the row holds them; empty when the row has none. */
    Optional<Bytes> payload();

    /** Media type of the payload; {@code application/json} or {@code application/octet-stream} unless the row says otherwise. */
    String contentType();

    /**
     * The payload, read from JSON; fields that the type does not have are ignored.
     *
     * @throws PayloadUnreadable if there is none, it is no JSON, or the type does not take it: the command is dead at once when a handler lets
     *     it through
     */
    <T> T payloadAs(Class<T> type) throws PayloadUnreadable;

    /** The row's own headers. */
    Map<String, String> headers();

    /** On whose behalf the command was scheduled. */
    Origin origin();

    /** 1 for the first run, one more after each run that used an attempt. */
    int attempt();

    /**
     * The transaction that holds the command. Commit, rollback, close and the like are refused; savepoints of the handler's own are allowed.
     * Settings changed with {@code SET} must be changed with {@code SET LOCAL}.
     */
    Connection connection();

    /** Publishes events; give it {@link #connection()}. Rows inherit {@link #origin()}. */
    Outbox outbox();

    /** Schedules commands; give it {@link #connection()}. Rows inherit {@link #origin()}. */
    Commands commands();
}
