package io.tailrace.contract.config;

import java.time.Duration;

/** Checks at the door of the configuration records. */
final class Ranges {

    private Ranges() {}

    static void between(String key, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("%s must be %d to %d, is %d".formatted(key, least, most, value));
        }
    }

    static void between(String key, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException("%s must be %s to %s, is %s".formatted(key, least, most, value));
        }
    }
}
