package io.tailrace.operations;

/**
 * A key that stops at the row of a dead letter, until that is replayed, skipped or discarded.
 *
 * @param waiting newer rows of the key that wait behind it
 * @param isHead whether no other row of the key stands before it: only then it can be skipped
 */
public record Halt(long waiting, boolean isHead) {}
