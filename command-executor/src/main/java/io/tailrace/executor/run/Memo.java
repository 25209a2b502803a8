package io.tailrace.executor.run;

import io.tailrace.executor.intake.Task;
import org.jspecify.annotations.Nullable;

/**
 * What a worker remembers of a row between two of its claims. Lost in a crash, and then the row is simply run again.
 *
 * @param conflicts serialization failures and deadlocks in a row
 * @param pending what its run came to, when that could not be stamped in the transaction of the run
 * @param unwritten what its external run came to, when that could not be written yet
 */
record Memo(int conflicts, @Nullable Decision pending, ExternalRun.@Nullable Unwritten unwritten) implements Task.Memo {

    private static final Memo NOTHING = new Memo(0, null, null);

    static Memo of(Task task) {
        return task.memo(Memo.class).orElse(NOTHING);
    }

    Memo oneMoreConflict() {
        return new Memo(conflicts + 1, null, null);
    }

    Memo toStamp(Decision decision) {
        return new Memo(conflicts, decision, null);
    }

    Memo toWrite(ExternalRun.Unwritten end) {
        return new Memo(conflicts, null, end);
    }

    Memo nothingToWrite() {
        return new Memo(conflicts, null, null);
    }
}
