package io.tailrace.operations.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.GuideMetrics;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The upkeep's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        UpkeepMetrics metrics = new UpkeepMetrics(registry, "shop", List.of("events"), () -> true);
        metrics.purged("outbox", 0);
        GuideMetrics guide = GuideMetrics.named("tailrace_upkeep_[a-z_]+");

        assertThat(guide.inTables()).as("the table").isEqualTo(GuideMetrics.of(registry));
        assertThat(guide.everywhere()).as("everywhere").isEqualTo(GuideMetrics.of(registry));
    }
}
