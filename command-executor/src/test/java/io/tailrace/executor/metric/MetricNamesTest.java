package io.tailrace.executor.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The executor's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(tailrace_executor_[a-z_]+)`");

    private static final Pattern NAMED = Pattern.compile("tailrace_executor_[a-z_]+");

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
        // The simple registry has a gauge for each limit of a histogram; Prometheus has buckets.
        Set<String> there = registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> !id.getName().endsWith(".histogram"))
                .map(MetricNamesTest::prometheus)
                .collect(Collectors.toSet());
        String guide = Files.readString(Path.of("../docs/operations.md"));

        assertThat(named(ROW, guide)).as("the table").isEqualTo(there);
        assertThat(named(NAMED, guide)).as("everywhere").isEqualTo(there);
    }

    private static Set<String> named(Pattern pattern, String guide) {
        return pattern.matcher(guide)
                .results()
                .map(MatchResult::group)
                .map(name -> name.replaceAll("[|` ]|_bucket$", ""))
                .collect(Collectors.toSet());
    }

    /** As a scrape shows it. */
    private static String prometheus(Meter.Id id) {
        String name = id.getName().replace('.', '_');
        return switch (id.getType()) {
            case COUNTER -> name + "_total";
            case TIMER -> name + "_seconds";
            case GAUGE, DISTRIBUTION_SUMMARY -> id.getBaseUnit() == null ? name : name + "_" + id.getBaseUnit();
            case LONG_TASK_TIMER, OTHER -> name;
        };
    }
}
