package io.tailrace.benchmarks.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.Lineup;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RouteReportTest {

    private static final RoutePlan PLAN = new RoutePlan(
            new Lineup(
                    List.of(Contender.LIMIT_COPY, Contender.PEER_EVENTROUTER, Contender.TAILRACE_ROUTER),
                    100_000,
                    3,
                    "512m",
                    List.of(),
                    Map.of(),
                    Optional.empty()),
            300_000);

    @Test
    void everyContenderHasMediansOfItsOwnRuns() {
        JsonNode json = json(List.of(
                drain(Contender.TAILRACE_ROUTER, 1, 3.0, 20.04),
                drain(Contender.TAILRACE_ROUTER, 2, 10.0, 40.0),
                drain(Contender.TAILRACE_ROUTER, 3, 6.0, 30.0),
                drain(Contender.PEER_EVENTROUTER, 1, 20.0, 60.0),
                drain(Contender.LIMIT_COPY, 1, 4.0, 10.0)));

        JsonNode router = json.at("/contenders/tailrace-router");
        assertThat(router.get("rowsPerSecond").asDouble()).isEqualTo(50_000);
        assertThat(router.get("cpuMicrosPerRow").asDouble()).isEqualTo(30.0);
        assertThat(router.get("allCpuMicrosPerRow").asDouble()).isEqualTo(42.0);
        assertThat(router.get("maxHeapMiB").asDouble()).isEqualTo(77.0);
        assertThat(json.at("/ratios/tailrace-router/toPeer").asDouble()).isEqualTo(3.33);
        assertThat(json.at("/ratios/tailrace-router/toLimitCopy").asDouble()).isEqualTo(0.67);
        assertThat(json.get("runs")).hasSize(5);
    }

    @Test
    void theGoalIsMetFromTheBoundOn() {
        assertThat(goal(7.5)).isEqualTo(json(40_000, true));
        assertThat(goal(7.6)).isEqualTo(json(39_474, false));
    }

    @Test
    void whatWasNotMeasuredIsAbsentAndNoGoalIsMissedByIt() {
        JsonNode json = json(List.of(drain(Contender.LIMIT_COPY, 1, 4.0, 10.0)));

        assertThat(json.at("/contenders/tailrace-router")).isEmpty();
        assertThat(json.at("/ratios/limit-copy").has("toPeer")).isFalse();
        assertThat(json.get("goals")).isEmpty();
        assertThat(json.get("benchmark").asText()).isEqualTo("route");
        assertThat(RouteTable.of(RouteReport.of(PLAN, "18", List.of()))).contains("tailrace-router", "-");
    }

    private static JsonNode goal(double seconds) {
        return json(List.of(drain(Contender.TAILRACE_ROUTER, 1, seconds, 20.0)))
                .at("/goals")
                .get("tailrace-router.rowsPerSecond");
    }

    private static JsonNode json(double measured, boolean met) {
        return new ObjectMapper()
                .createObjectNode()
                .put("atLeast", 40_000.0)
                .put("measured", measured)
                .put("met", met);
    }

    private static JsonNode json(List<RouteTrial> trials) {
        return new ObjectMapper().valueToTree(RouteReport.of(PLAN, "18", trials));
    }

    private static RouteTrial drain(Contender contender, int run, double seconds, double cpu) {
        return new RouteTrial(
                contender,
                run,
                new Measured(
                        300_000,
                        seconds,
                        2.0,
                        cpu,
                        77.0,
                        5.0,
                        Map.of("main", 1.0),
                        Map.of("broker", 7.0, "postgresql", 5.0)));
    }
}
