package io.tailrace.executor.handler;

/** Trying again would not help: the command is dead at once, with reason {@code rejected}. For code that cannot return {@link Result#rejected}. */
public final class CommandRejected extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param reason for people; must not hold what may not be written down */
    public CommandRejected(String reason) {
        super(reason);
    }

    /**
     * @param reason for people; must not hold what may not be written down
     * @param cause what led to it
     */
    public CommandRejected(String reason, Throwable cause) {
        super(reason, cause);
    }
}
