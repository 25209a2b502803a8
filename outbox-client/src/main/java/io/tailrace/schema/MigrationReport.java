package io.tailrace.schema;

import java.util.List;

/**
 * What a migration did.
 *
 * @param done one line for each thing that was changed, in order; empty when everything stood already
 * @param notes what an operator should know although nothing is wrong
 */
public record MigrationReport(List<String> done, List<String> notes) {

    public MigrationReport {
        done = List.copyOf(done);
        notes = List.copyOf(notes);
    }

    /** Whether anything was changed. */
    public boolean changed() {
        return !done.isEmpty();
    }
}
