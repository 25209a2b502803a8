package io.tailrace.executor.handler;

import java.util.Set;

/**
 * Runs commands. What it writes over {@link CommandContext#connection()} commits together with the completion of the command, or not
 * at all: exactly once. Effects elsewhere (an HTTP call, an e-mail) happen at least once; give them the row id as idempotency key.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
 */
public interface CommandHandler {

    /** The command names it answers to, as they stand in the row; at least one. Asked once. */
    Set<String> names();

    /**
     * Runs one command. A run that outlasts the handler timeout is interrupted and its statement cancelled; it counts as failed.
     *
     * @return what became of it; everything but {@link Result.Success} takes back what was written over the connection
     * @throws Exception counts as a failure that may be tried again; {@link PayloadUnreadable} as one that may not
     */
    Result handle(CommandContext command) throws Exception;
}
