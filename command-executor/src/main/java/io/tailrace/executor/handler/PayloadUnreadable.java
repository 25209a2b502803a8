package io.tailrace.executor.handler;

/** The payload is not what the handler asks for: the command is dead at once, with reason {@code payload-unreadable}. */
public final class PayloadUnreadable extends Exception {

    private static final long serialVersionUID = 1L;

    /** Says what was asked for and what stands there; never the payload itself. */
    public PayloadUnreadable(String problem) {
        super(problem);
    }
}
