package io.tailrace.executor.handler;

import java.util.Set;

/**
 * Handles events for a subscription. What it writes over {@link EventContext#connection()} commits together with the note that the event is
 * handled, or not at all: exactly once, however often and in how many topics the event comes. Effects elsewhere (an HTTP call, an e-mail)
 * happen at least once; give them the event id as idempotency key.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
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
     * Handles one event. A run that outlasts the handler timeout is interrupted and its statement cancelled; it counts as failed.
     *
     * @return what became of it; everything but {@link Result.Success} takes back what was written over the connection
     * @throws Exception counts as a failure that may be tried again; {@link PayloadUnreadable} as one that may not
     */
    Result handle(EventContext event) throws Exception;
}
