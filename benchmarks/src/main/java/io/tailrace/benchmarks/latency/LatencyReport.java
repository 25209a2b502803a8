package io.tailrace.benchmarks.latency;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Machine;
import io.tailrace.benchmarks.latency.LatencyPlan.Subject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What came out, as {@code -o json} prints it. A figure that was not measured is absent.
 *
 * @param benchmark {@code latency}
 * @param settings what was run
 * @param machine where
 * @param versions of what
 * @param contenders medians by contender, of events from their commit to their reader
 * @param timer medians of Tailrace's commands, from the instant at which they are due to their reader
 * @param goals by name
 * @param runs every single measurement
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record LatencyReport(
        String benchmark,
        Settings settings,
        Machine machine,
        Map<String, String> versions,
        Map<String, Figures> contenders,
        @Nullable Figures timer,
        Map<String, Goal> goals,
        List<Raw> runs) {

    private static final double EVENT_P50_MS = 50;
    private static final double EVENT_P99_MS = 250;
    private static final double TIMER_P99_MS = 100;

    /**
     * What was run.
     *
     * @param unusual settings that were tried, by contender
     */
    record Settings(
            int seconds,
            int rowsPerSecond,
            int timersPerSecond,
            int warmUpRows,
            int runs,
            String heapOfContender,
            List<String> javaOfContender,
            Map<String, Map<String, String>> unusual) {}

    /** Medians. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Figures(
            @Nullable Double p50Ms,
            @Nullable Double p99Ms,
            @Nullable Double maxMs) {}

    /** One measurement. */
    record Raw(
            String contender,
            int run,
            boolean timer,
            double p50Ms,
            double p99Ms,
            double maxMs,
            int rows,
            double rowsPerSecond) {}

    static LatencyReport of(LatencyPlan plan, String postgres, List<TimedTrial> trials) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        for (Contender contender : plan.lineup().contenders()) {
            figures.put(contender.text(), figures(new Subject(contender, false), trials));
        }
        Subject timers = new Subject(Contender.TAILRACE_WHOLE, true);
        Figures timer =
                trials.stream().anyMatch(trial -> trial.subject().equals(timers)) ? figures(timers, trials) : null;
        return new LatencyReport(
                "latency",
                new Settings(
                        plan.seconds(),
                        plan.rowsPerSecond(),
                        plan.timersPerSecond(),
                        plan.lineup().warmRows(),
                        plan.lineup().runs(),
                        plan.lineup().heap(),
                        plan.lineup().java(),
                        plan.lineup().unusual()),
                Machine.here(),
                Machine.versions(postgres),
                figures,
                timer,
                goals(figures.get(Contender.TAILRACE_WHOLE.text()), timer),
                trials.stream().map(LatencyReport::raw).toList());
    }

    private static Map<String, Goal> goals(@Nullable Figures whole, @Nullable Figures timer) {
        Map<String, Goal> goals = new LinkedHashMap<>();
        if (whole != null) {
            Goal.atMost(goals, "tailrace-whole.p50Ms", EVENT_P50_MS, whole.p50Ms());
            Goal.atMost(goals, "tailrace-whole.p99Ms", EVENT_P99_MS, whole.p99Ms());
        }
        if (timer != null) {
            Goal.atMost(goals, "timer.p99Ms", TIMER_P99_MS, timer.p99Ms());
        }
        return goals;
    }

    private static Figures figures(Subject subject, List<TimedTrial> trials) {
        List<Latency> own = trials.stream()
                .filter(trial -> trial.subject().equals(subject))
                .map(TimedTrial::latency)
                .toList();
        return new Figures(
                median(own, Latency::p50Millis), median(own, Latency::p99Millis), median(own, Latency::maxMillis));
    }

    private static @Nullable Double median(List<Latency> latencies, ToDoubleFunction<Latency> figure) {
        return Figure.median(latencies.stream().mapToDouble(figure).boxed().toList(), 1);
    }

    private static Raw raw(TimedTrial trial) {
        Latency latency = trial.latency();
        return new Raw(
                trial.subject().contender().text(),
                trial.run(),
                trial.subject().timers(),
                Figure.rounded(latency.p50Millis(), 2),
                Figure.rounded(latency.p99Millis(), 2),
                Figure.rounded(latency.maxMillis(), 2),
                latency.rows(),
                Figure.rounded(latency.rowsPerSecond(), 0));
    }
}
