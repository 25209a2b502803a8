package io.tailrace.router.decide;

import java.util.Objects;

/**
 * A topic that events go to, as last seen.
 *
 * @param state whether it can be written
 * @param maxMessageBytes what it takes, when it can be written
 * @param detail one line for people when it cannot
 */
public record Destination(State state, int maxMessageBytes, String detail) {

    /** Whether a topic can be written. */
    public enum State {
        /** Nobody has looked yet; somebody is looking. */
        UNKNOWN,
        /** It exists, may be written, and enough replicas are in sync. */
        WRITABLE,
        /** It does not exist. */
        MISSING,
        /** The broker does not let us write it. */
        FORBIDDEN,
        /** It exists, but a partition has no leader or too few replicas in sync. */
        UNAVAILABLE
    }

    /** Not looked at yet. */
    public static final Destination UNKNOWN = new Destination(State.UNKNOWN, 0, "not looked at yet");

    public Destination {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(detail, "detail");
    }

    /** One that takes records of that size. */
    public static Destination writable(int maxMessageBytes) {
        return new Destination(State.WRITABLE, maxMessageBytes, "");
    }

    /** One that cannot be written now. */
    public static Destination down(State state, String detail) {
        return new Destination(state, 0, detail);
    }
}
