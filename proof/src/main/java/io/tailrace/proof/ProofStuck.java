package io.tailrace.proof;

import org.jspecify.annotations.Nullable;

/** The run cannot go on: something that must come has not come. Nothing is proved, and that is a finding too. */
public class ProofStuck extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message what has not come, and where to look */
    public ProofStuck(String message) {
        this(message, null);
    }

    /** @param cause why, if it is known */
    public ProofStuck(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
