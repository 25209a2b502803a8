package io.tailrace.client;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a command is to run: at an instant, or after a delay that the database's clock measures, or at once when both are null.
 * Microseconds, rounded up, so that nothing is early.
 *
 * @param instant with an offset, so that no session time zone matters
 * @param delay ISO 8601, such as {@code PT90S}
 */
record RunAt(@Nullable OffsetDateTime instant, @Nullable String delay) {

    static final RunAt ONCE = new RunAt(null, null);

    /** What PostgreSQL's {@code timestamptz} holds. */
    private static final Instant EARLIEST =
            OffsetDateTime.of(-4711, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC).toInstant();

    private static final Instant LATEST =
            OffsetDateTime.of(294276, 12, 31, 0, 0, 0, 0, ZoneOffset.UTC).toInstant();

    private static final Duration LONGEST = Duration.ofDays(36_525);

    /** {@link Instant#MAX} and {@link Instant#MIN} stand for the infinities. */
    static RunAt at(Instant instant) {
        if (instant.equals(Instant.MAX)) {
            return new RunAt(OffsetDateTime.MAX, null);
        }
        if (instant.equals(Instant.MIN)) {
            return new RunAt(OffsetDateTime.MIN, null);
        }
        if (instant.isBefore(EARLIEST) || instant.isAfter(LATEST)) {
            throw new IllegalArgumentException("run_at %s is not between %s and %s; Instant.MAX stands for never"
                    .formatted(instant, EARLIEST, LATEST));
        }
        Instant micros = instant.truncatedTo(ChronoUnit.MICROS);
        Instant rounded = micros.equals(instant) ? micros : micros.plus(1, ChronoUnit.MICROS);
        return new RunAt(rounded.atOffset(ZoneOffset.UTC), null);
    }

    static RunAt after(Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "a delay of %s is not between 0 and %d days".formatted(delay, LONGEST.toDays()));
        }
        Duration micros = delay.truncatedTo(ChronoUnit.MICROS);
        return new RunAt(null, (micros.equals(delay) ? micros : micros.plus(1, ChronoUnit.MICROS)).toString());
    }
}
