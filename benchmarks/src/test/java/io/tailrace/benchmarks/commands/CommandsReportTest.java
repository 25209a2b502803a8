package io.tailrace.benchmarks.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.CommandTrial.Outcome;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Lineup;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommandsReportTest {

    private static final CommandsPlan PLAN = new CommandsPlan(
            new Lineup(Contender.COMMANDS, 10_000, 3, "512m", List.of(), Map.of(), Optional.empty()),
            List.of(Trial.values()),
            new CommandsPlan.Sizes(30_000, 1_000, 10_000, 300, 500, 60, 20));

    private static final Contender OWN = Contender.TAILRACE_COMMANDS;
    private static final Contender PEER = Contender.PEER_SKIP_LOCKED;

    @Test
    void everyTrialHasTheMediansOfItsOwnRuns() {
        JsonNode json = json(List.of(
                trial(OWN, Trial.DRAIN, 1, 1000, null),
                trial(OWN, Trial.DRAIN, 2, 3000, null),
                trial(OWN, Trial.DRAIN, 3, 2500, null),
                trial(OWN, Trial.HOT_KEY, 1, 700, null),
                trial(OWN, Trial.BEHIND, 1, 600, null),
                trial(OWN, Trial.LATENCY, 1, 500, new Latency(40.04, 90, 120, 10_000, 500)),
                trial(PEER, Trial.DRAIN, 1, 5000, null)));

        JsonNode own = json.at("/contenders/tailrace-commands");
        assertThat(own.get("perSecond").asDouble()).isEqualTo(2500);
        assertThat(own.get("hotKeyPerSecond").asDouble()).isEqualTo(700);
        assertThat(own.get("behindPerSecond").asDouble()).isEqualTo(600);
        assertThat(own.get("p50Ms").asDouble()).isEqualTo(40.0);
        assertThat(own.get("cpuMicrosPerCommand").asDouble()).isEqualTo(100);
        assertThat(own.get("allCpuMicrosPerCommand").asDouble()).isEqualTo(350);
        assertThat(json.at("/ratios/peer-skip-locked/perSecond").asDouble()).isEqualTo(0.5);
        assertThat(json.get("runs")).hasSize(7);
    }

    @Test
    void goalsAreMetUpToTheirBound() {
        JsonNode met = goals(2000, 500, 500, 60);
        JsonNode missed = goals(1999, 499, 499, 60.1);

        for (String goal : List.of("perSecond", "hotKeyPerSecond", "behindPerSecond", "p50Ms")) {
            assertThat(met.at("/" + goal + "/met").asBoolean()).as(goal).isTrue();
            assertThat(missed.at("/" + goal + "/met").asBoolean()).as(goal).isFalse();
        }
        assertThat(met.get("perSecond.of.peer-skip-locked").get("met").asBoolean())
                .isTrue();
        assertThat(missed.get("perSecond.of.peer-skip-locked").get("met").asBoolean())
                .isFalse();
    }

    @Test
    void whatWasNotMeasuredIsAbsentAndNoGoalIsMissedByIt() {
        JsonNode json = json(List.of(trial(PEER, Trial.DRAIN, 1, 2000, null)));

        assertThat(json.at("/contenders/tailrace-commands")).isEmpty();
        assertThat(json.at("/contenders/peer-skip-locked").has("p50Ms")).isFalse();
        assertThat(json.get("goals")).isEmpty();
        assertThat(CommandsTable.of(CommandsReport.of(PLAN, "18", List.of()))).contains("tailrace-commands", "-");
    }

    @Test
    void peersHaveNoHeadThatOthersWaitBehind() {
        assertThat(CommandsPlan.has(PEER, Trial.BEHIND)).isFalse();
        assertThat(CommandsPlan.has(OWN, Trial.BEHIND)).isTrue();
    }

    private static JsonNode goals(double perSecond, double hot, double behind, double p50) {
        return json(List.of(
                        trial(OWN, Trial.DRAIN, 1, perSecond, null),
                        trial(OWN, Trial.HOT_KEY, 1, hot, null),
                        trial(OWN, Trial.BEHIND, 1, behind, null),
                        trial(OWN, Trial.LATENCY, 1, 500, new Latency(p50, 90, 120, 10_000, 500)),
                        trial(PEER, Trial.DRAIN, 1, perSecond < 2000 ? 2100 : 2000, null)))
                .get("goals");
    }

    private static JsonNode json(List<CommandsTrial> trials) {
        return new ObjectMapper().valueToTree(CommandsReport.of(PLAN, "18", trials));
    }

    private static CommandsTrial trial(
            Contender contender, Trial trial, int run, double perSecond, @Nullable Latency latency) {
        Measured measured =
                new Measured(30_000, 10, 0, 100, 50, 0, Map.of(), Map.of("broker", 50.0, "postgresql", 200.0));
        return new CommandsTrial(
                contender, trial, run, new Outcome(perSecond, Optional.ofNullable(latency), measured, 0, 0));
    }
}
