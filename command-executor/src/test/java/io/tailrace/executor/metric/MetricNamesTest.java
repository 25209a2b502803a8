package io.tailrace.executor.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import io.tailrace.testkit.GuideMetrics;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The executor's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    /** A handler of events may answer to whatever stands in rows. */
    @Test
    void namesDoNotBecomeMetersWithoutEnd() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ExecutorMetrics metrics = new ExecutorMetrics(registry, "shop", "billing", 1);
        for (int i = 0; i < 2 * Names.MOST; i++) {
            metrics.settled("sales.e" + i, Outcome.COMPLETED);
            metrics.ran("sales.e" + i, Duration.ZERO);
            metrics.attempted("sales.e" + i, 1);
        }

        for (String meter : Set.of("processed", "duration", "attempts")) {
            assertThat(registry.find(ExecutorMetrics.PREFIX + meter).meters()).hasSize(Names.MOST + 1);
        }
        assertThat(registry.get("tailrace.executor.attempts")
                        .tag("name", Names.OTHERS)
                        .counter()
                        .count())
                .isEqualTo(Names.MOST);
    }

    @Test
    void theOldestIsAsOldAsItIs() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ExecutorMetrics metrics = new ExecutorMetrics(registry, "shop", 1);
        var age = registry.get("tailrace.executor.oldest.overdue.age").gauge();
        assertThat(age.value()).isZero();
        metrics.oldestOpen(
                OptionalLong.of(System.nanoTime() - Duration.ofHours(1).toNanos()));
        assertThat(age.value()).isBetween(3600.0, 3660.0);
        metrics.oldestOpen(OptionalLong.empty());
        assertThat(age.value()).isZero();
    }

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ExecutorMetrics metrics = new ExecutorMetrics(registry, "shop", 1);
        metrics.running(() -> 0);
        metrics.outlasting(() -> 0);
        metrics.held("paused", () -> 0);
        metrics.unavailable("name", () -> 0);
        metrics.ran("name", Duration.ZERO);
        metrics.settled("name", Outcome.COMPLETED);
        metrics.attempted("name", 1);
        metrics.steppedBack(StepBack.BUSY);
        metrics.answered(Kind.DONE);
        metrics.answerFailed();
        metrics.answerOutdated();
        metrics.scrubs(() -> 0);
        metrics.scrubbed(0);
        metrics.scrubRefused();
        new FastPathMetrics(registry, "shop", "billing").dispatched(Outcome.COMPLETED);
        Set<String> there = GuideMetrics.of(registry);
        GuideMetrics guide = GuideMetrics.named("tailrace_executor_[a-z_]+");

        assertThat(guide.inTables()).as("the table").isEqualTo(there);
        assertThat(guide.everywhere()).as("everywhere").isEqualTo(there);
    }
}
