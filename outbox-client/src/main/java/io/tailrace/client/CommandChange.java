package io.tailrace.client;

/** What came of an attempt to change a command. */
public enum CommandChange {
    /** Done, if the transaction commits. */
    OK,
    /** A worker, or another transaction that changes it, has it now; nothing was changed. */
    RUNNING,
    /** There is no command of that id. */
    NOT_FOUND,
    /** It is completed, cancelled or dead. */
    NOT_PENDING
}
