package io.tailrace.executor.run;

import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.intake.Task;
import org.jspecify.annotations.Nullable;

/**
 * What a worker remembers of a row between two of its claims. Lost in a crash, and then the row is simply run again.
 *
 * @param conflicts serialization failures and deadlocks in a row
 * @param pending what its run came to, when that could not be stamped in the transaction of the run
 * @param unwritten what its external run came to, when that could not be written yet
 * @param accused what was stamped on it before its run, if anything
 */
record Memo(
        int conflicts,
        @Nullable Decision pending,
        ExternalRun.@Nullable Unwritten unwritten,
        @Nullable Accused accused) implements Task.Memo {

    private static final Memo NOTHING = new Memo(0, null, null, null);

    /**
     * A failure that stands on a row for as long as it runs: who dies of it leaves it there.
     *
     * @param turn of the stamp
     * @param before what stood there, and will again when the run ends otherwise
     * @param stands whether it has yet to be taken back; the turn stays the row's
     */
    record Accused(int turn, CommandRow.Progress before, boolean stands) {}

    static Memo of(Task task) {
        return task.memo(Memo.class).orElse(NOTHING);
    }

    Memo oneMoreConflict() {
        return new Memo(conflicts + 1, null, null, accused);
    }

    Memo toStamp(Decision decision) {
        return new Memo(conflicts, decision, null, accused);
    }

    Memo toWrite(ExternalRun.Unwritten end) {
        return new Memo(conflicts, null, end, accused);
    }

    Memo nothingToWrite() {
        return new Memo(conflicts, null, null, accused);
    }

    Memo accused(int turn, CommandRow.Progress before, boolean stands) {
        return new Memo(conflicts, pending, unwritten, new Accused(turn, before, stands));
    }

    /** Whether there is a failure on its row that it never had. */
    boolean isAccused() {
        return accused != null && accused.stands();
    }
}
