package io.tailrace.proof.history;

import java.util.ArrayList;
import java.util.List;

/**
 * What a history has shown.
 *
 * @param committed rows in the table
 * @param delivered records where rows belong
 * @param deadLettered rows of which there was ever a dead letter
 * @param replayed dead letters that were sent on their way again
 * @param missing rows that are neither delivered nor dead letters nor rightly wait
 * @param duplicated records that no row accounts for: second ones, and those of rows that were never committed
 * @param orderViolations rows delivered out of their place
 * @param examples some of what is wrong, in words
 */
public record Findings(
        long committed,
        long delivered,
        long deadLettered,
        long replayed,
        long missing,
        long duplicated,
        long orderViolations,
        List<String> examples) {

    public Findings {
        examples = List.copyOf(examples);
    }

    /** Nothing is wrong. */
    public boolean isClean() {
        return missing == 0 && duplicated == 0 && orderViolations == 0;
    }

    /** Both together. */
    public Findings and(Findings other) {
        List<String> all = new ArrayList<>(examples);
        all.addAll(other.examples);
        return new Findings(
                committed + other.committed,
                delivered + other.delivered,
                deadLettered + other.deadLettered,
                replayed + other.replayed,
                missing + other.missing,
                duplicated + other.duplicated,
                orderViolations + other.orderViolations,
                all);
    }
}
