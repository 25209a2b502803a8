package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.GuideMetrics;
import java.time.Clock;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The engine's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        var unused = new EngineMetrics(registry, "slot", Clock.systemUTC());
        Set<String> there = GuideMetrics.of(registry);
        GuideMetrics guide = GuideMetrics.named("tailrace_engine_[a-z_]+");

        assertThat(guide.inTables()).as("the table").isEqualTo(there);
        assertThat(guide.everywhere()).as("everywhere").isEqualTo(there);
        assertThat(GuideMetrics.meters(registry))
                .allSatisfy(
                        id -> assertThat(id.getDescription()).as(id.getName()).isNotBlank());
    }
}
