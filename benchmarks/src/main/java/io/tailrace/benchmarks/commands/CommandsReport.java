package io.tailrace.benchmarks.commands;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.CommandTrial.Outcome;
import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Machine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What came out, as {@code -o json} prints it. A figure that was not measured is absent.
 *
 * @param benchmark {@code commands}
 * @param settings what was run
 * @param machine where
 * @param versions of what
 * @param contenders medians by contender
 * @param ratios of Tailrace's rates to those of each peer
 * @param goals by name
 * @param runs every single measurement
 */
record CommandsReport(
        String benchmark,
        Settings settings,
        Machine machine,
        Map<String, String> versions,
        Map<String, Figures> contenders,
        Map<String, Ratios> ratios,
        Map<String, Goal> goals,
        List<Raw> runs) {

    private static final double PER_SECOND = 2_000;
    private static final double HOT_PER_SECOND = 500;
    private static final double P50_MS = 60;

    /**
     * What was run.
     *
     * @param unusual settings that were tried, by contender
     */
    record Settings(
            CommandsPlan.Sizes sizes,
            int warmUpRows,
            int runs,
            String heapOfContender,
            List<String> javaOfContender,
            Map<String, Map<String, String>> unusual) {}

    /**
     * Medians.
     *
     * @param perSecond of the burst over many keys
     * @param outOfOrder commands of that burst that came after a later one of their key
     * @param cpuMicrosPerCommand of that burst, of the contender
     * @param allCpuMicrosPerCommand with broker and database
     * @param hotKeyPerSecond of the burst of one key
     * @param behindPerSecond of what was behind a head that waited
     * @param p50Ms from commit to start, as the other two
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Figures(
            @Nullable Double perSecond,
            @Nullable Double outOfOrder,
            @Nullable Double cpuMicrosPerCommand,
            @Nullable Double allCpuMicrosPerCommand,
            @Nullable Double hotKeyPerSecond,
            @Nullable Double behindPerSecond,
            @Nullable Double p50Ms,
            @Nullable Double p99Ms,
            @Nullable Double maxMs) {}

    /** Tailrace's rates divided by a peer's. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Ratios(@Nullable Double perSecond, @Nullable Double hotKeyPerSecond) {}

    /** One measurement. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Raw(
            String contender,
            String trial,
            int run,
            double perSecond,
            @Nullable Double p50Ms,
            @Nullable Double p99Ms,
            @Nullable Double maxMs,
            int outOfOrder,
            int doubled,
            double cpuMicrosPerCommand,
            Map<String, Double> cpuMicrosPerCommandByThread,
            Map<String, Double> cpuMicrosPerCommandByNeighbour,
            double maxHeapMiB) {}

    static CommandsReport of(CommandsPlan plan, String postgres, List<CommandsTrial> trials) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        for (Contender contender : plan.lineup().contenders()) {
            figures.put(contender.text(), figures(contender, trials));
        }
        Map<String, Ratios> ratios = ratios(figures);
        return new CommandsReport(
                "commands",
                new Settings(
                        plan.sizes(),
                        plan.lineup().warmRows(),
                        plan.lineup().runs(),
                        plan.lineup().heap(),
                        plan.lineup().java(),
                        plan.lineup().unusual()),
                Machine.here(),
                Machine.versions(postgres),
                figures,
                ratios,
                goals(figures.get(Contender.TAILRACE_COMMANDS.text()), ratios),
                trials.stream().map(CommandsReport::raw).toList());
    }

    private static Map<String, Ratios> ratios(Map<String, Figures> figures) {
        Map<String, Ratios> ratios = new LinkedHashMap<>();
        Figures own = figures.get(Contender.TAILRACE_COMMANDS.text());
        for (Contender peer : List.of(Contender.PEER_DB_SCHEDULER, Contender.PEER_SKIP_LOCKED)) {
            Figures other = figures.get(peer.text());
            if (own != null && other != null) {
                ratios.put(
                        peer.text(),
                        new Ratios(
                                Figure.ratio(own.perSecond(), other.perSecond()),
                                Figure.ratio(own.hotKeyPerSecond(), other.hotKeyPerSecond())));
            }
        }
        return ratios;
    }

    private static Map<String, Goal> goals(@Nullable Figures own, Map<String, Ratios> ratios) {
        Map<String, Goal> goals = new LinkedHashMap<>();
        if (own != null) {
            Goal.atLeast(goals, "perSecond", PER_SECOND, own.perSecond());
            Goal.atLeast(goals, "hotKeyPerSecond", HOT_PER_SECOND, own.hotKeyPerSecond());
            Goal.atLeast(goals, "behindPerSecond", HOT_PER_SECOND, own.behindPerSecond());
            Goal.atMost(goals, "p50Ms", P50_MS, own.p50Ms());
        }
        ratios.forEach((peer, ratio) -> Goal.atLeast(goals, "perSecond.of." + peer, 1, ratio.perSecond()));
        return goals;
    }

    private static Figures figures(Contender contender, List<CommandsTrial> trials) {
        List<Outcome> drains = of(contender, Trial.DRAIN, trials);
        List<Latency> latencies = of(contender, Trial.LATENCY, trials).stream()
                .flatMap(outcome -> outcome.latency().stream())
                .toList();
        return new Figures(
                median(drains, Outcome::perSecond, 0),
                median(drains, Outcome::outOfOrder, 0),
                median(drains, outcome -> outcome.measured().cpuMicrosPerRow(), 0),
                median(drains, outcome -> outcome.measured().allCpuMicrosPerRow(), 0),
                median(of(contender, Trial.HOT_KEY, trials), Outcome::perSecond, 0),
                median(of(contender, Trial.BEHIND, trials), Outcome::perSecond, 0),
                median(latencies, Latency::p50Millis, 1),
                median(latencies, Latency::p99Millis, 1),
                median(latencies, Latency::maxMillis, 1));
    }

    private static List<Outcome> of(Contender contender, Trial trial, List<CommandsTrial> trials) {
        return trials.stream()
                .filter(one -> one.contender() == contender && one.trial() == trial)
                .map(CommandsTrial::outcome)
                .toList();
    }

    private static <T> @Nullable Double median(List<T> measured, ToDoubleFunction<T> figure, int digits) {
        return Figure.median(measured.stream().mapToDouble(figure).boxed().toList(), digits);
    }

    private static Raw raw(CommandsTrial trial) {
        Outcome outcome = trial.outcome();
        Measured measured = outcome.measured();
        Latency latency = outcome.latency().orElse(null);
        return new Raw(
                trial.contender().text(),
                trial.trial().toString(),
                trial.run(),
                Figure.rounded(outcome.perSecond(), 0),
                latency == null ? null : Double.valueOf(Figure.rounded(latency.p50Millis(), 2)),
                latency == null ? null : Double.valueOf(Figure.rounded(latency.p99Millis(), 2)),
                latency == null ? null : Double.valueOf(Figure.rounded(latency.maxMillis(), 2)),
                outcome.outOfOrder(),
                outcome.doubled(),
                Figure.rounded(measured.cpuMicrosPerRow(), 1),
                Figure.rounded(measured.cpuMicrosPerRowByThread()),
                Figure.rounded(measured.cpuMicrosPerRowByNeighbour()),
                Figure.rounded(measured.maxHeapMiB(), 1));
    }
}
