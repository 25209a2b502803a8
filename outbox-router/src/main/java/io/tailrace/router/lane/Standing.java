package io.tailrace.router.lane;

import io.tailrace.contract.record.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What a lane knows of one of its rows beside the record.
 *
 * @param state where it stands; {@link RowState#ABSENT} is never stored
 * @param turn the highest that was heard of: the fence
 * @param notBefore milliseconds since the epoch; 0 for a row that waits only for those before it. Of a released row: when its answer is
 *     overdue
 * @param attempts used; of a subscription's row a copy, the row itself is the authority
 * @param waits in a row that used no attempt: what their backoff counts
 * @param burial why the row is to be given up when it is released; null when it is to be tried
 */
public record Standing(
        RowState state,
        int turn,
        long notBefore,
        int attempts,
        int waits,
        @Nullable Reason burial) {

    /** Of a row that was never tried. */
    public static final Standing FRESH = new Standing(RowState.WAITING, 0, 0, 0, 0, null);

    Standing released(long overdueAt) {
        return new Standing(RowState.RELEASED, turn, overdueAt, attempts, waits, burial);
    }

    Standing askedAgain(long overdueAt) {
        return new Standing(RowState.RELEASED, turn, overdueAt, attempts, waits + 1, burial);
    }

    Standing waitingUntil(long instant) {
        return new Standing(RowState.WAITING, turn, instant, attempts, waits, burial);
    }

    static Standing halted(int turn, int attempts) {
        return new Standing(RowState.HALTED, turn, 0, attempts, 0, null);
    }

    Standing toBeBuried(Reason reason) {
        return new Standing(RowState.WAITING, turn, 0, attempts, waits, reason);
    }
}
