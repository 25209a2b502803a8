package io.tailrace.proof.history;

import io.tailrace.contract.record.Place;
import org.jspecify.annotations.Nullable;

/**
 * A row as a reader has met it where it belongs.
 *
 * @param id of the row
 * @param where it is read in order: a topic. Order is judged within a key there
 * @param place of the row within its key; null if the record names none that can be read
 * @param replay the replay that has brought it back; null if none has
 * @param late whether it says that newer rows of its key may have gone before it
 */
public record Delivery(
        String id,
        String where,
        @Nullable Place place,
        @Nullable String replay,
        boolean late) {}
