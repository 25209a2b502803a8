package io.tailrace.operations;

/** An operation could not be done because of something outside: its message names it in words for people. */
public final class OperationFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** For what failed without an exception. */
    public OperationFailed(String what) {
        super(what);
    }

    public OperationFailed(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
