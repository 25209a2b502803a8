package io.tailrace.proof.commands;

import io.tailrace.proof.child.Job;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the tables hold in the end.
 *
 * @param commands the command table
 * @param effects in the order of having them
 * @param notes how often what was noted of a command, by its id and a word
 */
record Stored(List<Command> commands, List<Effect> effects, Map<Note, Integer> notes) {

    /** What became of a command, by the word of its row. */
    enum Status {
        PENDING,
        COMPLETED,
        DEAD,
        CANCELLED
    }

    /**
     * A row of the command table.
     *
     * @param number of the row among all of its writer
     * @param inCommitOrder whether the rows of its key are in the order of their commits: one writer has written them all, due at once
     * @param runAtMicros since the epoch
     * @param ahead of a row that is not due before long
     * @param attempts that were used
     */
    record Command(
            String id,
            @Nullable String key,
            long number,
            boolean inCommitOrder,
            Status status,
            long runAtMicros,
            boolean ahead,
            int attempts,
            Job job) {

        /** Whether it is right that it leaves no effect. */
        boolean mayWait() {
            return status == Status.CANCELLED || (status == Status.PENDING && ahead);
        }
    }

    /** Something a handler has done; when, by the clock of the database, in microseconds since the epoch. */
    record Effect(String id, long atMicros) {}

    /** Something that was noted of a command. */
    record Note(String id, String what) {}
}
