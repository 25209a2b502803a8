package io.tailrace.operations;

/** An operation could not be done because of something outside: its message names it in words for people. */
public final class OperationFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public OperationFailed(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
