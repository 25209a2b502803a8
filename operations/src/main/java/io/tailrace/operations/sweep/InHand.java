package io.tailrace.operations.sweep;

import java.util.Set;
import java.util.UUID;

/**
 * What executors have read and not finished, by their own word: it is not lost, however long it takes.
 *
 * @param keys ordering keys; a row of such a key may be behind the one that is being run
 * @param ids of rows, with a key or without
 */
public record InHand(Set<String> keys, Set<UUID> ids) {

    /** Nothing. */
    public static final InHand NONE = new InHand(Set.of(), Set.of());

    public InHand {
        keys = Set.copyOf(keys);
        ids = Set.copyOf(ids);
    }

    public boolean isEmpty() {
        return keys.isEmpty() && ids.isEmpty();
    }
}
