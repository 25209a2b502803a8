package io.tailrace.operations;

/** How the row of a command stands, as a look at it tells that takes no lock and changes nothing. */
enum Standing {
    /** There is none. */
    GONE,
    PENDING,
    COMPLETED,
    CANCELLED,
    /** To be requeued. */
    DEAD,
    /** Dead, and another transaction has it. */
    DEAD_AND_TAKEN,
    /** Dead, and a younger pending command has its dedup key. */
    DEAD_AND_FOLLOWED
}
