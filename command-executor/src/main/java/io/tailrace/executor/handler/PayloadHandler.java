package io.tailrace.executor.handler;

import java.util.Optional;

/**
 * A handler whose payload is read for it, before its transaction: {@link Upcaster}s bring it to the version of the type, Jackson makes a
 * {@code P} of it. What cannot be read is dead at once, with reason {@code payload-unreadable} and the field and position at which it fails.
 *
 * @param <P> a record, as a rule: a constructor that throws makes the payload unreadable
 */
public interface PayloadHandler<P> extends CommandHandler {

    /** What the payload is read as; fields that it does not have are ignored. */
    Class<P> payloadType();

    /**
     * What is wrong with a payload that can be read; the command is dead then, with reason {@code rejected}.
     *
     * @return for people; must not hold what may not be written down. Empty when nothing is wrong
     */
    default Optional<String> problemIn(P payload) {
        return Optional.empty();
    }

    /** As {@link CommandHandler#handle}. */
    Result handle(P payload, CommandContext command) throws Exception;

    @Override
    default Result handle(CommandContext command) throws Exception {
        return handle(command.payloadAs(payloadType()), command);
    }

    /** What such a handler does. */
    @FunctionalInterface
    interface Body<P> {

        /** As {@link PayloadHandler#handle(Object, CommandContext)}. */
        Result handle(P payload, CommandContext command) throws Exception;
    }
}
