package io.tailrace.executor.handler;

import io.tailrace.client.Commands;
import io.tailrace.client.Outbox;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.sql.Connection;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** One run of one event of a subscription. Valid until the handler returns, on the handler's thread. */
public interface EventContext {

    /** {@code ce_id}: the idempotency key for effects outside the database, the same through retry and replay. */
    UUID id();

    /** For which subscription it is handled. */
    String subscription();

    /** The source that it comes from, as the configuration names it: the name of its database unless it has another. */
    String source();

    /** The event name as it was published. */
    String name();

    /**
     * The version of the payload: that of the event (the stated one, else N of a {@code .vN} at the end of its name, else 1), or the one that
     * {@link Upcaster}s brought it to.
     */
    int version();

    /** Events of one key run one after the other, in the order in which they were committed. */
    Optional<String> orderingKey();

    /** When the event's transaction was committed. */
    Instant committedAt();

    /** The payload's bytes as they were committed; empty when there are none. */
    Optional<Bytes> payload();

    /** Media type of the payload. */
    String contentType();

    /**
     * The payload, read from JSON by way of the {@link Upcaster}s of its name; fields that the type does not have are ignored.
     *
     * @throws PayloadUnreadable if there is none, it is no JSON, or the type does not take it: the event is a dead letter at once when a
     *     handler lets it through
     */
    <T> T payloadAs(Class<T> type) throws PayloadUnreadable;

    /** The event's own headers. */
    Map<String, String> headers();

    /** On whose behalf it was published. */
    Origin origin();

    /** 1 for the first run, one more after each run that used an attempt; a replay begins anew. */
    int attempt();

    /** Whether an operator has replayed its dead letter. */
    boolean isReplay();

    /**
     * The transaction in which it is noted that the event is handled. Commit, rollback, close and the like are refused; savepoints of the
     * handler's own are allowed. Settings changed with {@code SET} must be changed with {@code SET LOCAL}.
     */
    Connection connection();

    /** Publishes events; give it {@link #connection()}. Rows inherit {@link #origin()}; their causation id is {@link #id()}. */
    Outbox outbox();

    /** Schedules commands; give it {@link #connection()}. Rows inherit {@link #origin()}; their causation id is {@link #id()}. */
    Commands commands();
}
