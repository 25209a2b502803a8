package io.tailrace.contract.config;

import java.util.Objects;

/** A value that no log, metric, console or error message may show. */
public final class Secret {

    private final String value;

    private Secret(String value) {
        this.value = Objects.requireNonNull(value);
    }

    /** Wraps a value. */
    public static Secret of(String value) {
        return new Secret(value);
    }

    /** The value itself, for the one place that needs it. */
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && value.equals(secret.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
