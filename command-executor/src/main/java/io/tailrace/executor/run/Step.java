package io.tailrace.executor.run;

import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where one claim has led, once its transaction has ended.
 *
 * @param outcome for the queue
 * @param afterwards what is said when the connection has been given back: answers, and offsets that pass
 * @param disk what its commit says of the disk
 * @param next what is to be done then instead of both, and what that has led to; null when this is the end
 */
record Step(
        Work.Outcome outcome,
        Runnable afterwards,
        Disk disk,
        @Nullable Supplier<Step> next) {

    /** What a commit says of the disk. */
    enum Disk {
        /** It is there, with all that this connection committed before it. */
        KNOWN,
        /** It will be there soon; nothing may be said before it is known. */
        OWED,
        /** There was no commit, or nobody looked. */
        UNTOUCHED
    }

    /** The end is not reached: it goes on so, without a connection. */
    static Step on(Supplier<Step> next) {
        return new Step(Work.Outcome.again(Duration.ZERO), () -> {}, Disk.UNTOUCHED, next);
    }

    /** Goes on to the end. */
    Step last() {
        Step step = this;
        while (step.next != null) {
            step = step.next.get();
        }
        return step;
    }

    static Step again(Duration wait) {
        return new Step(Work.Outcome.again(wait), () -> {}, Disk.UNTOUCHED, null);
    }

    static Step finished(Task task, Runnable afterwards) {
        return finished(List.of(task), afterwards);
    }

    static Step finished(List<Task> tasks, Runnable afterwards) {
        return new Step(Work.Outcome.finished(tasks), afterwards, Disk.UNTOUCHED, null);
    }

    /** The same, of a row whose completion has committed. */
    Step committed(boolean lazily) {
        return new Step(outcome, afterwards, lazily ? Disk.OWED : Disk.KNOWN, next);
    }
}
