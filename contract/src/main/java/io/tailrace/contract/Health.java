package io.tailrace.contract;

import java.util.Objects;

/**
 * The state of a part, for readiness and for people.
 *
 * @param state what it is doing
 * @param detail one line that names the culprit when the state is not {@link State#READY}; empty when there is nothing to say
 */
public record Health(State state, String detail) {

    /** What a part is doing. */
    public enum State {
        /** Made, not yet started. */
        NEW,
        /** On its way to {@link #READY}, or waiting for something that is down. */
        STARTING,
        /** Another one holds the lease; this one takes over when it goes. */
        STANDBY,
        /** It makes progress. */
        READY,
        /** Something it needs is down; it resumes by itself. */
        WAITING,
        /** It has given up: only a restart, after somebody mended the cause, helps. */
        FAILED,
        /** Closed. */
        STOPPED
    }

    public Health {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(detail, "detail");
    }

    /** It makes progress. */
    public static Health ready() {
        return new Health(State.READY, "");
    }

    /** Whether it makes progress. */
    public boolean isReady() {
        return state == State.READY;
    }
}
