package io.tailrace.executor.claim;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * When a row that waits is due again: after a wait, counted from the stamp by the clock of the database, or at an instant.
 *
 * @param waitMillis one of the two
 * @param epochMillis one of the two
 */
public record Until(OptionalLong waitMillis, OptionalLong epochMillis) {

    /** After a wait. */
    public static Until after(Duration wait) {
        return new Until(OptionalLong.of(wait.toMillis()), OptionalLong.empty());
    }

    /** At an instant, in milliseconds since 1970. */
    public static Until at(long epochMillis) {
        return new Until(OptionalLong.empty(), OptionalLong.of(epochMillis));
    }
}
