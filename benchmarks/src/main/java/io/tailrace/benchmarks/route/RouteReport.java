package io.tailrace.benchmarks.route;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;
import io.tailrace.benchmarks.harness.Machine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What came out, as {@code -o json} prints it. A figure that was not measured is absent.
 *
 * @param benchmark {@code route}
 * @param settings what was run
 * @param machine where
 * @param versions of what
 * @param contenders medians by contender
 * @param ratios of rows per second, by contender
 * @param goals by name
 * @param runs every single measurement
 */
record RouteReport(
        String benchmark,
        Settings settings,
        Machine machine,
        Map<String, String> versions,
        Map<String, Figures> contenders,
        Map<String, Ratios> ratios,
        Map<String, Goal> goals,
        List<Raw> runs) {

    /** Rows a second that one thread is to bring from the raw topic to the destination. */
    private static final double ROWS_PER_SECOND = 40_000;

    /**
     * What was run.
     *
     * @param unusual settings that were tried, by contender
     */
    record Settings(
            int rows,
            int warmUpRows,
            int runs,
            String heapOfContender,
            List<String> javaOfContender,
            Map<String, Map<String, String>> unusual) {}

    /** Medians; {@code cpuMicrosPerRow} of the contender, {@code allCpuMicrosPerRow} with broker and database. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Figures(
            @Nullable Double rowsPerSecond,
            @Nullable Double cpuMicrosPerRow,
            @Nullable Double allCpuMicrosPerRow,
            @Nullable Double maxHeapMiB) {}

    /** Of rows per second, to those of others. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Ratios(@Nullable Double toPeer, @Nullable Double toLimitCopy) {}

    /** One measurement. */
    record Raw(
            String contender,
            int run,
            long rows,
            double seconds,
            double rowsPerSecond,
            double startSeconds,
            double cpuMicrosPerRow,
            Map<String, Double> cpuMicrosPerRowByThread,
            Map<String, Double> cpuMicrosPerRowByNeighbour,
            double maxHeapMiB,
            double gcMs) {}

    static RouteReport of(RoutePlan plan, String postgres, List<RouteTrial> trials) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        for (Contender contender : plan.lineup().contenders()) {
            figures.put(contender.text(), figures(contender, trials));
        }
        Map<String, Ratios> ratios = new LinkedHashMap<>();
        figures.forEach((name, own) -> ratios.put(
                name,
                new Ratios(
                        ratio(own, figures.get(Contender.PEER_EVENTROUTER.text())),
                        ratio(own, figures.get(Contender.LIMIT_COPY.text())))));
        return new RouteReport(
                "route",
                new Settings(
                        plan.rows(),
                        plan.lineup().warmRows(),
                        plan.lineup().runs(),
                        plan.lineup().heap(),
                        plan.lineup().java(),
                        plan.lineup().unusual()),
                Machine.here(),
                Machine.versions(postgres),
                figures,
                ratios,
                goals(figures),
                trials.stream().map(RouteReport::raw).toList());
    }

    private static Map<String, Goal> goals(Map<String, Figures> figures) {
        Map<String, Goal> goals = new LinkedHashMap<>();
        for (Contender contender : List.of(Contender.TAILRACE_ROUTER, Contender.TAILRACE_ROUTER_UNAUDITED)) {
            Figures own = figures.get(contender.text());
            if (own != null) {
                Goal.atLeast(goals, contender.text() + ".rowsPerSecond", ROWS_PER_SECOND, own.rowsPerSecond());
            }
        }
        return goals;
    }

    private static Figures figures(Contender contender, List<RouteTrial> trials) {
        List<Measured> drains = trials.stream()
                .filter(trial -> trial.contender() == contender)
                .map(RouteTrial::drain)
                .toList();
        return new Figures(
                median(drains, Measured::rowsPerSecond, 0),
                median(drains, Measured::cpuMicrosPerRow, 1),
                median(drains, Measured::allCpuMicrosPerRow, 1),
                median(drains, Measured::maxHeapMiB, 1));
    }

    private static @Nullable Double median(List<Measured> drains, ToDoubleFunction<Measured> figure, int digits) {
        return Figure.median(drains.stream().mapToDouble(figure).boxed().toList(), digits);
    }

    private static @Nullable Double ratio(Figures own, @Nullable Figures other) {
        return other == null ? null : Figure.ratio(own.rowsPerSecond(), other.rowsPerSecond());
    }

    private static Raw raw(RouteTrial trial) {
        Measured drain = trial.drain();
        return new Raw(
                trial.contender().text(),
                trial.run(),
                drain.rows(),
                Figure.rounded(drain.seconds(), 3),
                Figure.rounded(drain.rowsPerSecond(), 0),
                Figure.rounded(drain.startSeconds(), 2),
                Figure.rounded(drain.cpuMicrosPerRow(), 1),
                Figure.rounded(drain.cpuMicrosPerRowByThread()),
                Figure.rounded(drain.cpuMicrosPerRowByNeighbour()),
                Figure.rounded(drain.maxHeapMiB(), 1),
                drain.gcMillis());
    }
}
