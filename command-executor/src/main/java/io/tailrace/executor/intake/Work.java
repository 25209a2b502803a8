package io.tailrace.executor.intake;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is done with the head of a queue. Called by many workers at the same time, for different queues. */
public interface Work {

    /** Does it. Throws only for bugs; the head then comes again later. */
    Outcome run(Turn turn);

    /** These were looked at and do not come again: their partition is gone, or all stops. Called while no worker has them, and before anybody else does. */
    default void forgotten(List<Task> tasks) {}

    /** The head of a queue, and what stands behind it. */
    interface Turn {

        /** First in the queue; nobody else touches the queue until the outcome is there. */
        Task head();

        /** What is queued behind the head now, in order; empty for a row without a key. */
        List<Task> behind(int most);

        /** Whether more of this queue may begin; false when it is to be given back: the partition is gone, the database is down, or all stops. */
        boolean goesOn();
    }

    /**
     * What became of it, and of some behind it if they were run too.
     *
     * @param finished tasks that leave the queue: their offsets pass when they are told to
     * @param again after how long the queue is looked at again; empty for at once
     */
    record Outcome(List<Task> finished, Optional<Duration> again) {

        /** These are finished, the next one is welcome. */
        public static Outcome finished(List<Task> tasks) {
            return new Outcome(tasks, Optional.empty());
        }

        /** Nothing is finished; the same head comes again. */
        public static Outcome again(Duration after) {
            return new Outcome(List.of(), Optional.of(after));
        }
    }
}
