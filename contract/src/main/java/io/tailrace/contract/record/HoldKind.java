package io.tailrace.contract.record;

import java.util.Locale;

/** Why the commands, or the events of a subscription, of a name wait as a whole. */
public enum HoldKind {
    /** An operator says so, and he alone resumes it. */
    PAUSED,
    /** What its handler depends on is away; one row at a time finds out whether it is back. */
    BROKEN,
    /** No executor that met it has a handler for it, or it is switched off there. */
    MISSING;

    /** As the database has it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if the database has it from a newer release */
    public static HoldKind of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
