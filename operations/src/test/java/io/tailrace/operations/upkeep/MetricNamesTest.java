package io.tailrace.operations.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The upkeep's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(tailrace_upkeep_[a-z_]+)`");

    private static final Pattern NAMED = Pattern.compile("tailrace_upkeep_[a-z_]+");

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        UpkeepMetrics metrics = new UpkeepMetrics(registry, "shop", List.of("events"), () -> true);
        metrics.purged("outbox", 0);
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
