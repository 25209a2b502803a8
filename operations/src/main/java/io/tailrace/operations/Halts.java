package io.tailrace.operations;

import java.util.Map;
import java.util.Optional;

/**
 * Keys that stop at some dead letters.
 *
 * @param byRow by row id; a letter that is not in it stops no key
 * @param isComplete whether all was read; otherwise a letter that is not in it may stop its key all the same
 */
public record Halts(Map<String, Halt> byRow, boolean isComplete) {

    static final Halts NONE = new Halts(Map.of(), true);

    public Halts {
        byRow = Map.copyOf(byRow);
    }

    /** That of one letter. */
    public Optional<Halt> at(DeadLetter letter) {
        return Optional.ofNullable(byRow.get(letter.rowId()));
    }
}
