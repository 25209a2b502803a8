package io.tailrace.proof;

import org.jspecify.annotations.Nullable;

/** The run cannot go on: something that must come has not come. Nothing is proved, and that is a finding too. */
public class ProofStuck extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProofStuck(String message) {
        this(message, null);
    }

    ProofStuck(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
