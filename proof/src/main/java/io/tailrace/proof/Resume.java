package io.tailrace.proof;

/** How the capture finds its place again. */
public enum Resume {
    /** Tailrace's engine as it is. */
    TAILRACE,
    /** The control: the same rows and the same mapping, with Debezium's own stream, offsets and search, at least once. */
    STOCK
}
