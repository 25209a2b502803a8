package io.tailrace.executor.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import io.tailrace.testkit.GuideMetrics;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The executor's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ExecutorMetrics metrics = new ExecutorMetrics(registry, "shop", 1);
        metrics.running(() -> 0);
        metrics.held("paused", () -> 0);
        metrics.ran("name", Duration.ZERO);
        metrics.settled("name", Outcome.COMPLETED);
        metrics.steppedBack(StepBack.BUSY);
        metrics.answered(Kind.DONE);
        metrics.answerFailed();
        metrics.answerOutdated();
        metrics.scrubs(() -> 0);
        metrics.scrubbed(0);
        metrics.scrubRefused();
        Set<String> there = GuideMetrics.of(registry);
        GuideMetrics guide = GuideMetrics.named("tailrace_executor_[a-z_]+");

        assertThat(guide.inTables()).as("the table").isEqualTo(there);
        assertThat(guide.everywhere()).as("everywhere").isEqualTo(there);
    }
}
