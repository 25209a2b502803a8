package io.tailrace.executor.handler;

import java.util.Optional;

/**
 * A handler of events whose payload is read for it, before its transaction, as it is for a {@link PayloadHandler}.
 *
 * @param <P> a record, as a rule: a constructor that throws makes the payload unreadable
 */
public interface EventPayloadHandler<P> extends EventHandler {

    /** What the payload is read as; fields that it does not have are ignored. */
    Class<P> payloadType();

    /**
     * What is wrong with a payload that can be read; the event is dead then, with reason {@code rejected}.
     *
     * @return for people; must not hold what may not be written down. Empty when nothing is wrong
     */
    default Optional<String> problemIn(P payload) {
        return Optional.empty();
    }

    /** As {@link EventHandler#handle}. */
    Result handle(P payload, EventContext event) throws Exception;

    @Override
    default Result handle(EventContext event) throws Exception {
        return handle(event.payloadAs(payloadType()), event);
    }

    /** What such a handler does. */
    @FunctionalInterface
    interface Body<P> {

        /** As {@link EventPayloadHandler#handle(Object, EventContext)}. */
        Result handle(P payload, EventContext event) throws Exception;
    }
}
