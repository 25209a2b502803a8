package io.tailrace.engine.capture;

import io.tailrace.engine.log.LogPoint;
import java.util.Optional;

/**
 * One change as it came out of the log.
 *
 * @param at where it stood
 * @param what it is
 * @param record what goes to Kafka; empty for heartbeats and for what is nobody's
 */
public record Captured(LogPoint at, What what, Optional<RawRecord> record) {

    /** What came out of the log. */
    public enum What {
        /** A row of the outbox or of the command table, or a message that is an event. */
        ROW,
        /** An act on a command. */
        CONTROL,
        /** A heartbeat message of this engine: the way from the log to here works. */
        HEARTBEAT,
        /** Debezium's own sign that it has passed a commit; only the position matters. */
        COMMIT,
        /** A change that is none of ours, or a message that makes no sense. */
        OTHER
    }
}
