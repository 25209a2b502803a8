package io.tailrace.executor.handler;

/**
 * Stands around every handler of events, of whichever subscription, where a {@link CommandInterceptor} stands around those of commands:
 * innermost, within the timeout and the transaction. What it writes over {@link EventContext#connection()} commits or is taken back with what
 * the handler writes.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
 */
@FunctionalInterface
public interface EventInterceptor {

    /**
     * Goes on with {@code next}, or not.
     *
     * @return what became of the event: that of {@code next}, or another; if this throws or returns anything but a success, what was
     *     written is taken back
     */
    Result around(EventContext event, CommandInterceptor.Next next) throws Exception;

    /** Smaller numbers stand further out; equal ones in the order in which they were added. */
    default int order() {
        return 0;
    }
}
