package io.tailrace.client;

/** What came of an event that was offered to the inbox. */
public enum InboxOutcome {
    /** The work was run, and with the transaction it is done for good. */
    RAN,
    /** It had been done before; nothing was run. */
    DUPLICATE,
    /** Another transaction is at it now; nothing was run. Offer it again, unless the other one is known to succeed. */
    RUNNING,
    /** An executor of this subscription tried it, failed, and will try again or has given it up; nothing was run. */
    WAITING;

    boolean runs() {
        return this == RAN;
    }

    static InboxOutcome of(String answer) {
        return switch (answer) {
            case "RUN" -> RAN;
            case "DONE" -> DUPLICATE;
            default -> valueOf(answer);
        };
    }
}
