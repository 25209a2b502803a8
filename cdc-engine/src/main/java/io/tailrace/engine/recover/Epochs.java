package io.tailrace.engine.recover;

/**
 * Of the raw topics.
 *
 * @param before of the rows that are in them, or were
 * @param now of the rows to come
 */
record Epochs(int before, int now) {}
