package io.tailrace.proof.load;

/** What the writers write. */
public enum WorkloadKind {
    /** Everything that is there, interleaved. */
    MIXED,
    /** One row in each transaction. */
    SINGLE,
    /** COPY, whose rows share an LSN. */
    COPY
}
