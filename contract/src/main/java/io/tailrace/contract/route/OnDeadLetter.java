package io.tailrace.contract.route;

/** What becomes of a key when one of its rows is a dead letter. */
public enum OnDeadLetter {
    /** The rows behind it go on. */
    CONTINUE,
    /** They wait until an operator replays, skips or discards it. */
    HALT_KEY
}
