package io.tailrace.engine.publish;

/**
 * Told of each step of each batch that is published, on the thread that publishes it, which goes on when the call returns. The product
 * has {@link #NOBODY}; whoever wants to see what a crash at a certain step leaves behind stops the thread there.
 */
@FunctionalInterface
public interface BatchWatcher {

    /** Does not look. */
    BatchWatcher NOBODY = (step, records) -> {};

    /** The steps in their order; a crash between two of them leaves something else behind. */
    enum Step {
        /** The first record of a transaction is about to be handed to the producer: Kafka has nothing of it. Not reached without records. */
        BEFORE_SEND,
        /** All records and the position are handed to the producer; the transaction is open. */
        BEFORE_COMMIT,
        /** The transaction is committed; neither the offset store nor Debezium knows of it. */
        AFTER_COMMIT,
        /** The offset store shows the position; it is not confirmed to the slot. */
        BEFORE_FLUSH
    }

    /**
     * A step was reached.
     *
     * @param records of the transaction that go to raw topics, as far as they are known at this step; 0 when it moves nothing but the
     *     position
     */
    void reached(Step step, int records);
}
