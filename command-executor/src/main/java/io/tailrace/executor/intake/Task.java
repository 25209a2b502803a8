package io.tailrace.executor.intake;

import org.jspecify.annotations.Nullable;

/**
 * A due record on its way through this process. It stays in the queue of its key until the work says that it is finished, and holds
 * its partition's offset until {@link #pass}. One worker at a time has it; {@link #pass} and {@link #comeAgain} are for any thread.
 */
public final class Task {

    private final DueRecord record;
    private final Assignment assignment;
    private final KeyQueues queues;
    private @Nullable Object memo;
    private int stepsBack;

    Task(DueRecord record, Assignment assignment, KeyQueues queues) {
        this.record = record;
        this.assignment = assignment;
        this.queues = queues;
    }

    /** What was read. */
    public DueRecord record() {
        return record;
    }

    /** What the work wants to remember until this task comes again. */
    public @Nullable Object memo() {
        return memo;
    }

    /** Replaces the memo. */
    public void memo(@Nullable Object value) {
        this.memo = value;
    }

    /** How often in a row it has stepped back. */
    public int stepsBack() {
        return stepsBack;
    }

    /** It steps back once more. */
    public int countStepBack() {
        return ++stepsBack;
    }

    /** The offset may pass this record. */
    public void pass() {
        assignment.watermark().settled(record.offset());
    }

    /**
     * A finished task is not finished after all, because its answer did not get through: it goes back to the head of its queue, and its claim
     * will find what was stamped.
     */
    public void comeAgain() {
        queues.putBack(this);
    }

    Assignment assignment() {
        return assignment;
    }
}
