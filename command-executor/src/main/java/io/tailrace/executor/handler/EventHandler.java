package io.tailrace.executor.handler;

import java.util.Optional;
import java.util.Set;

/**
 * Handles events for a subscription. What it writes over {@link EventContext#connection()} commits together with the note that the event is
 * handled, or not at all: exactly once, however often and in how many topics the event comes. Effects elsewhere (an HTTP call, an e-mail)
 * happen at least once; give them the event id as idempotency key.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}. An
 * {@link EventPayloadHandler} is given its payload as a type of its own.
 *
 * <p>Around every run stands what stands around that of a {@link CommandHandler}, in the same order: the gate (is the event's name or the
 * subscription paused, is the name broken or switched off), {@link #roles()}, logging, the check of the payload, the timeout, the transaction, the
 * application's {@link EventInterceptor}s, the handler. What ends a run before the transaction has written nothing.
 */
public interface EventHandler {

    /** The subscription it works for, as the configuration names it. Asked once. */
    String subscription();

    /**
     * Which events of the subscription it handles, in patterns like those of the subscription; of several handlers the one with the most
     * specific pattern is called. Asked once.
     */
    default Set<String> events() {
        return Set.of("*");
    }

    /**
     * The versions of its events that it handles; an event of another version is for the next less specific pattern. Empty: all that its patterns
     * take. Asked once.
     */
    default Optional<Versions> versions() {
        return Optional.empty();
    }

    /** Of these roles whoever published the event must have one; another's is dead, with reason {@code rejected}. Empty: anybody may. */
    default Set<String> roles() {
        return Set.of();
    }

    /**
     * Handles one event. A run that outlasts the handler timeout is interrupted and its statement cancelled; it counts as failed.
     *
     * @return what became of it; everything but {@link Result.Success} takes back what was written over the connection
     * @throws Exception counts as a failure that may be tried again; {@link PayloadUnreadable} and {@link CommandRejected} as one that may
     *     not
     */
    Result handle(EventContext event) throws Exception;

    /** A handler of the events of one pattern, as short as it gets. */
    static <P> EventHandler of(
            String subscription, String pattern, Class<P> payloadType, EventPayloadHandler.Body<P> body) {
        return new EventPayloadHandler<P>() {
            @Override
            public String subscription() {
                return subscription;
            }

            @Override
            public Set<String> events() {
                return Set.of(pattern);
            }

            @Override
            public Class<P> payloadType() {
                return payloadType;
            }

            @Override
            public Result handle(P payload, EventContext event) throws Exception {
                return body.handle(payload, event);
            }
        };
    }
}
