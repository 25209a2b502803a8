package io.tailrace.proof.history;

import org.jspecify.annotations.Nullable;

/**
 * A row as its table has it.
 *
 * @param id unique
 * @param key its ordering key; null if it stands in no order
 * @param number rises from one commit to the next within the key
 * @param mayWait whether it is right that it still waits in the end
 */
public record Row(String id, @Nullable String key, long number, boolean mayWait) {}
