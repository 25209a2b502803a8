package io.tailrace.proof;

/** What is done to the running parts. */
public enum Fault {
    /** The engine is killed with SIGKILL, and a new one is started. */
    ENGINE,
    /** PostgreSQL is stopped as a crash would stop it, and started again; its slot may go back. */
    POSTGRES,
    /** The broker is killed with SIGKILL, and started again on its data. */
    BROKER,
    /** The engine is stopped by SIGSTOP, another one takes over, and the first one wakes up in the middle of what it did. */
    ZOMBIE
}
