package io.tailrace.router.lane;

/** Where a row stands on its lane. */
public enum RowState {
    /** Not on the lane. */
    ABSENT,
    /** On the lane, to be released when it is due and its turn has come. */
    WAITING,
    /** Handed to an executor, which owes an answer. */
    RELEASED,
    /** Given up, and its dead letter written, but the key stops here until an operator says how it goes on. */
    HALTED
}
