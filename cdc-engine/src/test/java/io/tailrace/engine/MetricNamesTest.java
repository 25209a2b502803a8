package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The engine's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(tailrace_engine_[a-z_]+)`");

    private static final Pattern NAMED = Pattern.compile("tailrace_engine_[a-z_]+");

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        var unused = new EngineMetrics(registry, "slot", Clock.systemUTC());
        Set<String> there = registry.getMeters().stream()
                .map(meter -> prometheus(meter.getId()))
                .collect(Collectors.toSet());
        String guide = Files.readString(Path.of("../docs/operations.md"));

        assertThat(named(ROW, guide)).as("the table").isEqualTo(there);
        assertThat(named(NAMED, guide)).as("everywhere").isEqualTo(there);
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getDescription())
                        .as(meter.getId().getName())
                        .isNotBlank());
    }

    private static Set<String> named(Pattern pattern, String guide) {
        return pattern.matcher(guide)
                .results()
                .map(MatchResult::group)
                .map(name -> name.replaceAll("[|` ]", ""))
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
