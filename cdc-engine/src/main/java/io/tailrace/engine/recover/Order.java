package io.tailrace.engine.recover;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What an operator wants.
 *
 * @param way out of the refusal
 * @param dryRun only say what would be published: nothing is written, the slot stays as it is
 * @param since leave out events that were written before; empty: as far back as the raw topics remember
 * @param by who asks, to be kept
 * @param note why, to be kept; may be empty
 */
public record Order(Way way, boolean dryRun, Optional<Instant> since, String by, String note) {

    /** Ways out. */
    public enum Way {
        /** Publish from the tables what the raw topics lack. */
        FROM_TABLE("from-table"),
        /** Publish nothing. */
        ACCEPT_GAP("accept-gap");

        private final String text;

        Way(String text) {
            this.text = text;
        }

        /** As the option is spelt. */
        public String text() {
            return text;
        }
    }

    public Order {
        Objects.requireNonNull(way, "way");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(by, "by");
        Objects.requireNonNull(note, "note");
    }
}
