package io.tailrace.executor.run;

import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work;
import java.time.Duration;
import java.util.List;

/**
 * Where one claim has led, once its transaction has ended.
 *
 * @param outcome for the queue
 * @param afterwards what is said when the connection has been given back: answers, and offsets that pass
 */
record Step(Work.Outcome outcome, Runnable afterwards) {

    static Step again(Duration wait) {
        return new Step(Work.Outcome.again(wait), () -> {});
    }

    static Step finished(Task task, Runnable afterwards) {
        return new Step(Work.Outcome.finished(List.of(task)), afterwards);
    }

    static Step finished(List<Task> tasks, Runnable afterwards) {
        return new Step(Work.Outcome.finished(tasks), afterwards);
    }
}
