package io.tailrace.embedded;

/** An embedded server cannot start, or cannot stop, for a reason outside this code. The message names it and the way out. */
public final class EmbeddedStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedStartException(String message) {
        super(message);
    }

    EmbeddedStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
