package io.tailrace.executor.run;

import io.tailrace.executor.handler.Result;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, before anything is concluded from it.
 *
 * @param result what the handler returned
 * @param thrown what the handler, or the completion of its work, threw; one of the two is there
 * @param ended whether somebody ended it from outside
 * @param begun whether it came to the handler, which may have written something
 */
record Ending(@Nullable Result result, @Nullable Throwable thrown, RunGuard.Ended ended, boolean begun) {

    boolean isSuccess() {
        return result instanceof Result.Success && thrown == null && ended == RunGuard.Ended.NOT;
    }
}
