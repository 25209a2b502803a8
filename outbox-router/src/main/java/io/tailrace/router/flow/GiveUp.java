package io.tailrace.router.flow;

import io.tailrace.contract.retry.ErrorTrail;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The one rule for what nobody foresaw. A row that brings about a bug must not bring down the thread, or the next one would read it
 * again: it is given up, with what was thrown, and the others flow on. That is allowed while nothing has been sent or written, so it
 * covers plans and nothing else. What is thrown when a plan is carried out, or when even giving up cannot be planned, stops the task and
 * takes back the transaction: otherwise the half that was done would be committed with it.
 *
 * @param isSystemic whether something thrown is nobody's row, but the broker's or the stores': then no row is given up for it
 */
public record GiveUp(Predicate<Throwable> isSystemic) {

    /**
     * Plans.
     *
     * @param plan reads, decides and composes
     * @param instead gives the row up
     */
    <T> T unless(Supplier<T> plan, Function<ErrorTrail, T> instead) {
        ErrorTrail bug;
        try {
            return plan.get();
        } catch (RuntimeException thrown) {
            if (isSystemic.test(thrown)) {
                throw thrown;
            }
            bug = ErrorTrail.of(thrown);
        }
        return instead.apply(bug);
    }
}
