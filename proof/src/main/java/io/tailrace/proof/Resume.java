package io.tailrace.proof;

/** How the capture finds its place again. */
public enum Resume {
    /** Tailrace's engine as it is. */
    TAILRACE,
    /** The control: the same capture with Debezium's own offsets and its own search, at least once. */
    STOCK
}
