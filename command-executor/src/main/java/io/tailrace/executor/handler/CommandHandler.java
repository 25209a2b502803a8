package io.tailrace.executor.handler;

import java.util.Optional;
import java.util.Set;

/**
 * Runs commands. What it writes over {@link CommandContext#connection()} commits together with the completion of the command, or not
 * at all: exactly once. Effects elsewhere (an HTTP call, an e-mail) happen at least once; give them the row id as idempotency key.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}. A
 * {@link PayloadHandler} is given its payload as a type of its own.
 *
 * <p>Around every run, from the outside in: the gate (is the name paused, broken or switched off), {@link #roles()}, logging, the check
 * of the payload, the timeout, the transaction, the application's {@link CommandInterceptor}s, the handler. What ends a run before the
 * transaction has written nothing.
 */
public interface CommandHandler {

    /** The command names it answers to, as they stand in the row, or without their versions if it has {@link #versions()}; at least one. Asked once. */
    Set<String> names();

    /**
     * The versions of its names that it answers to: {@code ship} with versions 1 to 3 is {@code ship}, {@code ship.v1}, {@code ship.v2}
     * and {@code ship.v3}. Empty: its names are meant as they stand. Asked once.
     */
    default Optional<Versions> versions() {
        return Optional.empty();
    }

    /** Of these roles whoever scheduled the command must have one; another's is dead, with reason {@code rejected}. Empty: anybody may. */
    default Set<String> roles() {
        return Set.of();
    }

    /**
     * Runs one command. A run that outlasts the handler timeout is interrupted and its statement cancelled; it counts as failed.
     *
     * @return what became of it; everything but {@link Result.Success} takes back what was written over the connection
     * @throws Exception counts as a failure that may be tried again; {@link PayloadUnreadable} and {@link CommandRejected} as one that may
     *     not
     */
    Result handle(CommandContext command) throws Exception;

    /** A handler of one name, as short as it gets. */
    static <P> CommandHandler of(String name, Class<P> payloadType, PayloadHandler.Body<P> body) {
        return new PayloadHandler<P>() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Class<P> payloadType() {
                return payloadType;
            }

            @Override
            public Result handle(P payload, CommandContext command) throws Exception {
                return body.handle(payload, command);
            }
        };
    }
}
