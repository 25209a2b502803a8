package io.tailrace.proof;

/** A child has ended by itself while something was expected of it. */
public final class ChildEnded extends ProofStuck {

    private static final long serialVersionUID = 1L;

    private final int status;

    ChildEnded(String message, int status) {
        super(message);
        this.status = status;
    }

    /** Its exit code. */
    public int status() {
        return status;
    }
}
