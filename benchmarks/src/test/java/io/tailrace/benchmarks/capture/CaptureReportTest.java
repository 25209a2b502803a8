package io.tailrace.benchmarks.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Lineup;
import io.tailrace.benchmarks.harness.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CaptureReportTest {

    private static final CapturePlan PLAN = new CapturePlan(
            new Lineup(
                    List.of(Contender.PEER_EVENTROUTER, Contender.TAILRACE_TABLE),
                    100_000,
                    3,
                    "512m",
                    List.of(),
                    Map.of(),
                    Optional.empty()),
            300_000,
            List.of(Shape.ONE),
            20,
            1000);

    @Test
    void everyContenderHasMediansOfItsOwnRuns() {
        JsonNode json = json(List.of(
                drain(Contender.TAILRACE_TABLE, 1, 10.0, 40.04),
                drain(Contender.TAILRACE_TABLE, 2, 30.0, 90.0),
                drain(Contender.TAILRACE_TABLE, 3, 15.0, 50.0),
                drain(Contender.PEER_EVENTROUTER, 1, 60.0, 100.0),
                latency(Contender.TAILRACE_TABLE, 12.34, 56.78)));

        JsonNode tailrace = json.at("/shapes/one/contenders/tailrace-table");
        assertThat(tailrace.get("rowsPerSecond").asDouble()).isEqualTo(20_000);
        assertThat(tailrace.get("cpuMicrosPerRow").asDouble()).isEqualTo(50.0);
        assertThat(tailrace.get("p50Ms").asDouble()).isEqualTo(12.3);
        assertThat(tailrace.get("p99Ms").asDouble()).isEqualTo(56.8);
        assertThat(tailrace.get("maxHeapMiB").asDouble()).isEqualTo(77.0);
        assertThat(json.at("/shapes/one/ratios/tailrace-table/toPeer").asDouble())
                .isEqualTo(4.0);
        assertThat(json.at("/shapes/one/runs")).hasSize(5);
    }

    @Test
    void whatWasNotMeasuredIsAbsentAndNotZero() {
        JsonNode json = json(List.of(drain(Contender.PEER_EVENTROUTER, 1, 60.0, 100.0)));

        assertThat(json.at("/shapes/one/contenders/peer-eventrouter").has("p50Ms"))
                .isFalse();
        assertThat(json.at("/shapes/one/contenders/tailrace-table")).isEmpty();
        assertThat(json.at("/shapes/one/contenders").has("limit-read")).isFalse();
        assertThat(json.at("/shapes/one/ratios/peer-eventrouter").has("toLimitRead"))
                .isFalse();
    }

    @Test
    void theReportSaysWhatItSpeaksOf() {
        JsonNode json = json(List.of());

        assertThat(json.get("benchmark").asText()).isEqualTo("capture");
        assertThat(json.at("/settings/rows").asInt()).isEqualTo(300_000);
        assertThat(json.at("/machine/cores").asInt()).isPositive();
        assertThat(json.at("/machine/memoryMiB").asLong()).isPositive();
        for (String part : List.of("tailrace", "debezium", "kafka", "pgjdbc", "postgresql", "java")) {
            assertThat(json.at("/versions/" + part).asText())
                    .as(part)
                    .isNotEmpty()
                    .doesNotContain("$");
        }
    }

    @Test
    void theTableShowsADashForWhatIsAbsent() {
        String table =
                ReportTable.of(CaptureReport.of(PLAN, "18", List.of(drain(Contender.TAILRACE_TABLE, 1, 15.0, 50.0))));

        assertThat(table.lines().filter(line -> line.startsWith("tailrace-table")))
                .singleElement()
                .asString()
                .contains("20,000", "50.0", "-");
    }

    private static JsonNode json(List<Trial> trials) {
        return new ObjectMapper().valueToTree(CaptureReport.of(PLAN, "18", trials));
    }

    private static Trial drain(Contender contender, int run, double seconds, double cpu) {
        return new Trial(
                contender,
                Shape.ONE,
                run,
                Optional.of(new Measured(
                        300_000,
                        seconds,
                        2.0,
                        cpu,
                        77.0,
                        5.0,
                        Map.of("main", 1.0),
                        Map.of("broker", 7.0, "postgresql", 5.0))),
                Optional.empty());
    }

    private static Trial latency(Contender contender, double p50, double p99) {
        return new Trial(
                contender, Shape.ONE, 1, Optional.empty(), Optional.of(new Latency(p50, p99, 99.9, 20_000, 1000.0)));
    }
}
