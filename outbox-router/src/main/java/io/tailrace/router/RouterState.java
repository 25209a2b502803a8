package io.tailrace.router;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the router is doing. Changed in one place, which also says so; what has ended stays so. Thread-safe.
 *
 * <pre>
 *   NEW → STARTING ⇄ READY ⇄ WAITING
 *            └────────┴────────┴──→ FAILED        all → STOPPED
 * </pre>
 */
final class RouterState {

    private static final Logger LOG = LoggerFactory.getLogger(RouterState.class);

    private Health health = new Health(State.NEW, "");

    synchronized Health health() {
        return health;
    }

    /** Leaves {@code NEW}, once. */
    synchronized void begin() {
        if (health.state() != State.NEW) {
            throw new IllegalStateException("a router is started once, and this one is " + health.state());
        }
        become(State.STARTING, "");
    }

    /** Goes on to a state, unless it has ended. */
    synchronized void become(State next, String detail) {
        boolean hasEnded = health.state() == State.STOPPED || (health.state() == State.FAILED && next != State.STOPPED);
        if (hasEnded) {
            return;
        }
        if (health.state() != next) {
            LOG.info("Router is {}{}", next, detail.isEmpty() ? "" : ": " + detail);
        }
        health = new Health(next, detail);
    }
}
