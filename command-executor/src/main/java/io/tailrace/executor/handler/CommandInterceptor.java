package io.tailrace.executor.handler;

/**
 * Stands around every handler that has a transaction, innermost: within its timeout and its transaction, behind gate, roles, logging and the check of the payload.
 * What it writes over {@link CommandContext#connection()} commits or is taken back with what the handler writes.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
 */
@FunctionalInterface
public interface CommandInterceptor {

    /**
     * Goes on with {@code next}, or not.
     *
     * @return what became of the command: that of {@code next}, or another; if this throws or returns anything but a success, what was
     *     written is taken back
     */
    Result around(CommandContext command, Next next) throws Exception;

    /** Smaller numbers stand further out; equal ones in the order in which they were added. */
    default int order() {
        return 0;
    }

    /** What stands within. */
    @FunctionalInterface
    interface Next {

        /** Runs it; to be called once. */
        Result proceed() throws Exception;
    }
}
