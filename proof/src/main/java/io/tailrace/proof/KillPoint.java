package io.tailrace.proof;

import io.tailrace.engine.publish.BatchWatcher.Step;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where the engine was when it happened. Counted by what the engine itself said that it had reached. */
public enum KillPoint {
    /** A batch is in hand, its Kafka transaction has not begun. */
    BEFORE_SEND("beforeSend", Step.BEFORE_SEND),
    /** All of it is sent, the transaction is open. */
    BETWEEN_SEND_AND_COMMIT("betweenSendAndCommit", Step.BEFORE_COMMIT),
    /** Committed, and only Kafka knows. */
    AFTER_COMMIT("afterCommit", Step.AFTER_COMMIT),
    /** The position is shown to Debezium, not confirmed to the slot. */
    BEFORE_FLUSH("beforeFlush", Step.BEFORE_FLUSH),
    /** It has started and published nothing yet: it still looks for its place in the log. */
    SEARCHING("searching", null),
    /** Any moment while rows flow. */
    RANDOM("random", null);

    private final String key;
    private final @Nullable Step step;

    KillPoint(String key, @Nullable Step step) {
        this.key = key;
        this.step = step;
    }

    /** Its name in the counts. */
    public String key() {
        return key;
    }

    Optional<Step> step() {
        return Optional.ofNullable(step);
    }
}
