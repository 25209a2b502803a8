package io.tailrace.router.lane;

/** Where a row stands on its lane. */
public enum RowState {
    /** Not on the lane. */
    ABSENT,
    /** On the lane, to be released when it is due and its turn has come. */
    WAITING,
    /** Handed to an executor, which owes an answer. */
    RELEASED
}
