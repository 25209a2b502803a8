package io.tailrace.executor.intake;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the intake is doing; the one method that changes it writes the one line in the log. Thread-safe. */
final class IntakeState {

    private static final Logger LOG = LoggerFactory.getLogger(IntakeState.class);

    private Health health = new Health(State.STARTING, "joining the consumer group");

    synchronized Health health() {
        return health;
    }

    /** A state that nothing leaves but the end: {@link State#FAILED}, {@link State#STOPPED}. */
    synchronized void become(State state, String detail) {
        boolean over = health.state() == State.FAILED || health.state() == State.STOPPED;
        if (health.state() == state || (over && state != State.STOPPED)) {
            return;
        }
        if (state == State.FAILED) {
            LOG.error("Intake gives up, restart after mending: {}", detail);
        } else if (state == State.WAITING) {
            LOG.warn("Intake waits, resumes by itself: {}", detail);
        } else {
            LOG.info("Intake is {} {}", state, detail);
        }
        health = new Health(state, detail);
    }
}
