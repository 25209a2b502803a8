package io.tailrace.proof.count;

import java.util.List;

/**
 * Rows in the tables against records in the topics.
 *
 * @param committed rows in the tables, and control messages that their state tells of
 * @param read records in the topics
 * @param missing rows without a record
 * @param duplicated records of a row beyond its first
 * @param phantoms records of rows that were never committed
 * @param orderViolations rows whose first record stands behind that of a later row of their key
 * @param examples some of what is wrong, in words
 */
public record Counts(
        long committed,
        long read,
        long missing,
        long duplicated,
        long phantoms,
        long orderViolations,
        List<String> examples) {

    public Counts {
        examples = List.copyOf(examples);
    }

    /** Nothing missing, doubled, made up or out of order. */
    public boolean isClean() {
        return missing == 0 && duplicated == 0 && phantoms == 0 && orderViolations == 0;
    }
}
