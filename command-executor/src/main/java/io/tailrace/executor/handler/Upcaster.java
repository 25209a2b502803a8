package io.tailrace.executor.handler;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.UnaryOperator;

/**
 * Makes of a payload of one version of a command or an event the payload of the next one, before it is read as a type. Several of one name make a
 * chain: from the version of the row up to the last one that its handler answers to, or as far as they lead.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
 */
public interface Upcaster {

    /** The name of a command, or of an event, without a version. */
    String name();

    /** Whether it is for the events of its name, in whichever subscription; otherwise it is for the commands. */
    default boolean isForEvents() {
        return false;
    }

    /** The version that it takes, 1 at least; it leads to the one after it. */
    int from();

    /**
     * The payload of the next version. May change the one it is given. One that throws makes the payload unreadable, and the row dead.
     */
    JsonNode upcast(JsonNode payload);

    /** For commands, from a function. */
    static Upcaster of(String name, int from, UnaryOperator<JsonNode> change) {
        return of(name, false, from, change);
    }

    /** For events, from a function. */
    static Upcaster ofEvent(String name, int from, UnaryOperator<JsonNode> change) {
        return of(name, true, from, change);
    }

    private static Upcaster of(String name, boolean isForEvents, int from, UnaryOperator<JsonNode> change) {
        return new Upcaster() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public boolean isForEvents() {
                return isForEvents;
            }

            @Override
            public int from() {
                return from;
            }

            @Override
            public JsonNode upcast(JsonNode payload) {
                return change.apply(payload);
            }
        };
    }
}
