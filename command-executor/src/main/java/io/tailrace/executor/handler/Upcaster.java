package io.tailrace.executor.handler;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.UnaryOperator;

/**
 * Makes of a payload of one version of a command the payload of the next one, before it is read as a type. Several of one name make a chain: from
 * the version of the row up to the last one that its handler answers to, or as far as they lead.
 *
 * <p>One instance serves all workers at the same time. Found by {@link java.util.ServiceLoader}, or passed to {@link Handlers}.
 */
public interface Upcaster {

    /** The command name, without a version. */
    String name();

    /** The version that it takes, 1 at least; it leads to the one after it. */
    int from();

    /**
     * The payload of the next version. May change the one it is given. One that throws makes the payload unreadable, and the command dead.
     */
    JsonNode upcast(JsonNode payload);

    /** From a function. */
    static Upcaster of(String name, int from, UnaryOperator<JsonNode> change) {
        return new Upcaster() {
            @Override
            public String name() {
                return name;
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
