package io.tailrace.benchmarks.latency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Lineup;
import io.tailrace.benchmarks.latency.LatencyPlan.Subject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LatencyReportTest {

    private static final LatencyPlan PLAN = new LatencyPlan(
            new Lineup(Contender.LATENCY, 100_000, 3, "512m", List.of(), Map.of(), Optional.empty()), 20, 1000, 200);

    private static final Subject PEER = new Subject(Contender.PEER_EVENTROUTER, false);
    private static final Subject WHOLE = new Subject(Contender.TAILRACE_WHOLE, false);
    private static final Subject TIMERS = new Subject(Contender.TAILRACE_WHOLE, true);

    @Test
    void everySubjectHasMediansOfItsOwnRuns() {
        JsonNode json = json(List.of(
                trial(PEER, 1, 16.0, 30.0, 90.0),
                trial(WHOLE, 1, 40.0, 100.0, 150.0),
                trial(WHOLE, 2, 30.04, 260.0, 300.0),
                trial(WHOLE, 3, 60.0, 90.0, 120.0),
                trial(TIMERS, 1, 20.0, 100.0, 130.0)));

        assertThat(json.at("/contenders/tailrace-whole")).isEqualTo(figures(40.0, 100.0, 150.0));
        assertThat(json.at("/contenders/peer-eventrouter")).isEqualTo(figures(16.0, 30.0, 90.0));
        assertThat(json.get("timer")).isEqualTo(figures(20.0, 100.0, 130.0));
        assertThat(json.get("runs")).hasSize(5);
    }

    @Test
    void goalsAreMetUpToTheirBound() {
        JsonNode met = json(List.of(trial(WHOLE, 1, 50.0, 250.0, 900.0), trial(TIMERS, 1, 50.0, 100.0, 900.0)))
                .get("goals");
        JsonNode missed = json(List.of(trial(WHOLE, 1, 50.1, 250.1, 900.0), trial(TIMERS, 1, 50.0, 100.1, 900.0)))
                .get("goals");

        for (String goal : List.of("tailrace-whole.p50Ms", "tailrace-whole.p99Ms", "timer.p99Ms")) {
            assertThat(met.get(goal).get("met").asBoolean()).as(goal).isTrue();
            assertThat(missed.get(goal).get("met").asBoolean()).as(goal).isFalse();
        }
        assertThat(met).hasSize(3);
    }

    @Test
    void whatWasNotMeasuredIsAbsentAndNoGoalIsMissedByIt() {
        JsonNode json = json(List.of(trial(PEER, 1, 16.0, 30.0, 90.0)));

        assertThat(json.has("timer")).isFalse();
        assertThat(json.at("/contenders/tailrace-whole")).isEmpty();
        assertThat(json.get("goals")).isEmpty();
        assertThat(LatencyTable.of(LatencyReport.of(PLAN, "18", List.of()))).contains("tailrace-whole", "-");
    }

    @Test
    void eachRunBeginsWithAnotherSubject() {
        assertThat(PLAN.inOrderOf(0)).containsExactly(PEER, WHOLE, TIMERS);
        assertThat(PLAN.inOrderOf(1)).containsExactly(WHOLE, TIMERS, PEER);
        assertThat(PLAN.inOrderOf(2)).containsExactly(TIMERS, PEER, WHOLE);
    }

    private static JsonNode figures(double p50, double p99, double max) {
        return new ObjectMapper()
                .createObjectNode()
                .put("p50Ms", p50)
                .put("p99Ms", p99)
                .put("maxMs", max);
    }

    private static JsonNode json(List<TimedTrial> trials) {
        return new ObjectMapper().valueToTree(LatencyReport.of(PLAN, "18", trials));
    }

    private static TimedTrial trial(Subject subject, int run, double p50, double p99, double max) {
        return new TimedTrial(subject, run, new Latency(p50, p99, max, 20_000, 1000.0));
    }
}
