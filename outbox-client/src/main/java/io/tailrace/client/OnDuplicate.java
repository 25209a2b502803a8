package io.tailrace.client;

import java.util.Locale;

/** What to do when a command is pending under the same dedup key. */
public enum OnDuplicate {
    /** Throw {@link DuplicateCommandException}; the transaction stays usable. */
    REJECT,
    /** Leave it, and return its id. */
    IGNORE,
    /** Cancel it and schedule the new one. One that is being run cannot be cancelled: {@link DuplicateCommandException}. */
    REPLACE;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
