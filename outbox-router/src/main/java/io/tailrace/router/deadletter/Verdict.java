package io.tailrace.router.deadletter;

import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import org.jspecify.annotations.Nullable;

/**
 * Why a row was given up.
 *
 * @param reason in a word
 * @param attempts used
 * @param error the last one
 * @param stage that failed: capture, decode, decide, publish, timer or handler
 * @param seq the row's own place, if it could be read: a replay keeps it
 */
public record Verdict(
        Reason reason,
        int attempts,
        ErrorTrail error,
        String stage,
        @Nullable Place seq) {

    /** The same with the error told otherwise. */
    Verdict with(ErrorTrail told) {
        return new Verdict(reason, attempts, told, stage, seq);
    }
}
