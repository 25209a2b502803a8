package io.tailrace.embedded;

import java.util.OptionalInt;

/** An embedded server cannot start, or cannot stop, for a reason outside this code. The message names it and the way out. */
public final class EmbeddedStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient OptionalInt takenPort;

    EmbeddedStartException(String message) {
        super(message);
        this.takenPort = OptionalInt.empty();
    }

    EmbeddedStartException(String message, Throwable cause) {
        this(message, cause, OptionalInt.empty());
    }

    EmbeddedStartException(String message, Throwable cause, OptionalInt takenPort) {
        super(message, cause);
        this.takenPort = takenPort;
    }

    /** The port that somebody else listens on, when that is the reason: who knows where it is configured can say so. */
    public OptionalInt takenPort() {
        return takenPort;
    }
}
