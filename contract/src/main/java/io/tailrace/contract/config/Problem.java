package io.tailrace.contract.config;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * What is wrong with one key of the configuration.
 *
 * @param key its path from the top of the file
 * @param line where it stands in the file, from 1, if it stands there
 * @param message what is wrong and, where there is something to suggest, what was probably meant; never holds a secret
 */
public record Problem(String key, OptionalInt line, String message) {

    public Problem {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(line, "line");
        Objects.requireNonNull(message, "message");
    }

    /** {@code line 7: engine.poll-interval: needs a unit: ms, s, m, h or d}. */
    @Override
    public String toString() {
        return (line.isPresent() ? "line " + line.getAsInt() + ": " : "") + (key.isEmpty() ? "" : key + ": ") + message;
    }
}
