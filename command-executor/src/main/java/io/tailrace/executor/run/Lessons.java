package io.tailrace.executor.run;

import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.hold.Gate;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.util.Objects;

/**
 * What the ends of runs say of their names.
 *
 * @param names who is told
 */
record Lessons(Gate names) {

    /** It went well. */
    void succeeded(Claim claim, boolean probe) {
        names.succeeded(claim.theRow().name(), probe);
        ran(claim, probe, true);
    }

    /** What a run says of its name. A probe that finds its dependency away is held like all the others. */
    Decision of(Ending ending, Decision decision, Claim claim, boolean probe) {
        String name = claim.theRow().name();
        if (!(decision instanceof Decision.Repeat)) {
            ran(claim, probe, false);
        }
        if (decision instanceof Decision.Wait wait
                && wait.outcome() == ExecutorMetrics.Outcome.UNAVAILABLE
                && wait.trail() != null
                && ending.result() instanceof Result.Unavailable unavailable) {
            String key = Objects.requireNonNullElseGet(
                    claim.theRow().orderingKey(), claim.request().id()::toString);
            names.unavailable(name, key, wait.trail().message(), unavailable.retryAfter(), probe);
            return probe ? new Decision.Hold(name, wait.trail()) : decision;
        }
        if (probe && !(decision instanceof Decision.Repeat)) {
            names.probeFailed(name);
        }
        return decision;
    }

    private void ran(Claim claim, boolean probe, boolean well) {
        // No probe is a row that was never stamped.
        if (!probe && claim.request().turn() > 0) {
            names.ran(claim.theRow().name(), claim.request().id(), well);
        }
    }
}
