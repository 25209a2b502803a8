package io.tailrace.executor.intake;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A due record on its way through this process. It stays in the queue of its key until the work says that it is finished, and holds
 * its partition's offset until {@link #pass}. One worker at a time has it; {@link #pass} and {@link #comeAgain} are for any thread.
 */
public final class Task {

    /** What the work remembers of a task between two looks at it. A work has one class for all of its memos; the task only keeps them. */
    public interface Memo {}

    private final DueRecord record;
    private final Assignment assignment;
    private final KeyQueues queues;
    private @Nullable Memo memo;
    private int stepsBack;
    private boolean suspect;
    private boolean counted;

    Task(DueRecord record, Assignment assignment, KeyQueues queues) {
        this.record = record;
        this.assignment = assignment;
        this.queues = queues;
    }

    /** What was read. */
    public DueRecord record() {
        return record;
    }

    /** What the work wanted to remember, if anything; of the class of which it gives its memos. */
    public <M extends Memo> Optional<M> memo(Class<M> type) {
        return Optional.ofNullable(memo).map(type::cast);
    }

    /** Remembers this until the task comes again, in the place of what was remembered before. */
    public void memo(Memo value) {
        this.memo = value;
    }

    boolean isRemembered() {
        return memo != null;
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

    /** Whether it may have killed the last owner of its partition: it is the only such row that runs now. */
    public boolean isSuspect() {
        return suspect;
    }

    void suspect(boolean isOne) {
        this.suspect = isOne;
    }

    /** A suspect runs now. When some have and did nothing, the others of its partition are suspects no more. */
    public void countSuspect() {
        counted = true;
    }

    boolean isCounted() {
        return counted;
    }

    /** Whether its partition is another member's by now, as far as this one has heard. */
    public boolean isRevoked() {
        return queues.isRevoked(assignment);
    }

    Assignment assignment() {
        return assignment;
    }
}
