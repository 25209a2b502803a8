package io.tailrace.proof.commands;

import io.tailrace.proof.child.Halts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where an executor was when it was struck, by its own word. */
enum CommandsKillPoint {
    /** Killed with rows in hand of which none was claimed. */
    BEFORE_CLAIM("beforeClaim", Halts.Step.BEFORE_CLAIM),
    /** Killed when a handler had had its effect and not returned. */
    IN_HANDLER("inHandler", Halts.Step.IN_HANDLER),
    /** Killed when a failure was stamped on its row, and the retry topic had no record of it. */
    BEFORE_RETRY_RECORD("beforeRetryRecord", Halts.Step.BEFORE_RETRY_RECORD),
    /** Killed when a row that its lane had released was done, and the lane did not know. */
    BEFORE_DONE("beforeDone", Halts.Step.BEFORE_DONE),
    /** Killed when the answer was safe in Kafka, and the offset of the row had not passed. */
    BEFORE_OFFSET("beforeOffset", Halts.Step.BEFORE_OFFSET),
    /** Stopped by SIGSTOP in a handler for longer than its session, its lease and its timeout; then it woke up. */
    STOPPED("stopped", null),
    /** Lived on, and the server ended all sessions of executors while a handler ran. */
    SESSIONS_ENDED("sessionsEnded", null),
    /** Killed at any moment; sometimes both at once. */
    RANDOM("random", null);

    private final String key;
    private final Halts.@Nullable Step step;

    CommandsKillPoint(String key, Halts.@Nullable Step step) {
        this.key = key;
        this.step = step;
    }

    /** Its name in the counts. */
    String key() {
        return key;
    }

    /** Where it stands still to be killed. */
    Optional<Halts.Step> step() {
        return Optional.ofNullable(step);
    }
}
