package io.tailrace.executor.hold;

import io.tailrace.executor.claim.AttemptUse;

/**
 * Whether something that is done again and again fails: tells when that begins and when it ends. A database that is down is no such failure,
 * that others tell; nor is a conflict with another transaction, which the next time does not meet. For one thread.
 */
final class Failing {

    private boolean failing;

    /** It failed; true if that is news. */
    boolean begins(Exception failure) {
        AttemptUse use = AttemptUse.of(failure);
        if (failing || use == AttemptUse.LOST || use == AttemptUse.CONFLICT) {
            return false;
        }
        failing = true;
        return true;
    }

    /** It went well; true if that is news. */
    boolean ends() {
        boolean was = failing;
        failing = false;
        return was;
    }
}
