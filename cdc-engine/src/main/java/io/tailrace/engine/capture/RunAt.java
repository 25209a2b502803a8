package io.tailrace.engine.capture;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** A {@code timestamptz} in the text of Debezium, as milliseconds: rounded up, because a command is never run early. */
final class RunAt {

    /** {@code infinity}: never. */
    static final long NEVER = Long.MAX_VALUE;

    /** {@code -infinity}: at once. */
    static final long ALWAYS = 0;

    private RunAt() {}

    /**
     * Milliseconds since the epoch; instants before it count as the epoch.
     *
     * @throws DateTimeException when the text is no instant
     */
    static long millis(String text) {
        if (text.equals("infinity")) {
            return NEVER;
        }
        if (text.equals("-infinity")) {
            return ALWAYS;
        }
        Instant instant =
                OffsetDateTime.parse(text).withOffsetSameInstant(ZoneOffset.UTC).toInstant();
        if (instant.isBefore(Instant.EPOCH)) {
            return ALWAYS;
        }
        long millis = instant.toEpochMilli();
        return instant.getNano() % 1_000_000 == 0 ? millis : millis + 1;
    }
}
