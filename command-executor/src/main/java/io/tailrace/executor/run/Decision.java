package io.tailrace.executor.run;

import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.Until;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is to become of a row whose run was not a success. */
sealed interface Decision {

    /** Takes one of the four ways. */
    <T> T match(Function<Wait, T> wait, Function<Hold, T> hold, Function<Die, T> die, Function<Repeat, T> repeat);

    /**
     * Stamped as waiting.
     *
     * @param used attempts, 0 or 1
     * @param until when it is due again
     * @param trail of the failure; absent for a snooze
     * @param outcome for the metric
     */
    record Wait(int used, Until until, @Nullable ErrorTrail trail, Outcome outcome) implements Decision {
        @Override
        public <T> T match(
                Function<Wait, T> wait, Function<Hold, T> hold, Function<Die, T> die, Function<Repeat, T> repeat) {
            return wait.apply(this);
        }
    }

    /**
     * Stamped as held: it waits for its name, and uses nothing.
     *
     * @param name that holds it
     * @param trail of what is wrong; absent when nothing is wrong with the row
     */
    record Hold(String name, @Nullable ErrorTrail trail) implements Decision {
        @Override
        public <T> T match(
                Function<Wait, T> wait, Function<Hold, T> hold, Function<Die, T> die, Function<Repeat, T> repeat) {
            return hold.apply(this);
        }
    }

    /** Stamped dead. */
    record Die(int used, Reason reason, ErrorTrail trail) implements Decision {
        @Override
        public <T> T match(
                Function<Wait, T> wait, Function<Hold, T> hold, Function<Die, T> die, Function<Repeat, T> repeat) {
            return die.apply(this);
        }
    }

    /** Not stamped: claimed and run again, and nothing was used. */
    record Repeat(StepBack why) implements Decision {
        @Override
        public <T> T match(
                Function<Wait, T> wait, Function<Hold, T> hold, Function<Die, T> die, Function<Repeat, T> repeat) {
            return repeat.apply(this);
        }
    }
}
