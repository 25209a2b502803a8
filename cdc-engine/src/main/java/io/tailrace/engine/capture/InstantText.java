package io.tailrace.engine.capture;

import java.time.Instant;

/**
 * Instants as {@link Instant#toString} writes them. Each transaction has one of its own, and most stand within the second of the one
 * before: then only its digits are written anew. Not thread-safe.
 */
final class InstantText {

    private static final int MICROS = 1_000_000;

    private long second = Long.MIN_VALUE;
    private String beginning = "";

    /** The text of an instant in microseconds since the epoch. */
    String of(long micros) {
        long whole = Math.floorDiv(micros, (long) MICROS);
        int rest = Math.floorMod(micros, MICROS);
        if (whole != second) {
            String text = Instant.ofEpochSecond(whole).toString();
            second = whole;
            beginning = text.substring(0, text.length() - 1);
        }
        if (rest == 0) {
            return beginning + "Z";
        }
        // One digit more than wanted, so that the zeros in front are written too.
        return rest % 1000 == 0
                ? beginning + "." + Integer.toString(1000 + rest / 1000).substring(1) + "Z"
                : beginning + "." + Integer.toString(MICROS + rest).substring(1) + "Z";
    }
}
