package io.tailrace.benchmarks.capture;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Machine;
import io.tailrace.benchmarks.harness.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What came out, as {@code -o json} prints it. A figure that was not measured is absent.
 *
 * @param benchmark {@code capture}
 * @param settings what was run
 * @param machine where
 * @param versions of what
 * @param shapes by the name of the shape
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CaptureReport(
        String benchmark,
        Settings settings,
        Machine machine,
        Map<String, String> versions,
        Map<String, Shaped> shapes) {

    /**
     * What was run.
     *
     * @param unusual settings that were tried, by contender
     */
    record Settings(
            int rows,
            int warmUpRows,
            int runs,
            int latencySeconds,
            int latencyRowsPerSecond,
            String heapOfContender,
            List<String> javaOfContender,
            Map<String, Map<String, String>> unusual) {}

    /**
     * All of one shape.
     *
     * @param contenders medians by contender
     * @param ratios of rows per second, by contender
     * @param runs every single measurement
     */
    record Shaped(
            int rowsPerTransaction, Map<String, Figures> contenders, Map<String, Ratios> ratios, List<Raw> runs) {}

    /** Medians; {@code cpuMicrosPerRow} of the contender, {@code allCpuMicrosPerRow} with broker and database. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Figures(
            @Nullable Double rowsPerSecond,
            @Nullable Double cpuMicrosPerRow,
            @Nullable Double allCpuMicrosPerRow,
            @Nullable Double p50Ms,
            @Nullable Double p99Ms,
            @Nullable Double maxHeapMiB) {}

    /** Of rows per second, to those of others. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Ratios(
            @Nullable Double toPeer,
            @Nullable Double toLimitRead,
            @Nullable Double toLimitReadProduce) {}

    /** One measurement; what the other kind of measurement gives is absent. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record Raw(
            String contender,
            int run,
            @Nullable Long rows,
            @Nullable Double seconds,
            @Nullable Double rowsPerSecond,
            @Nullable Double startSeconds,
            @Nullable Double cpuMicrosPerRow,
            @Nullable Map<String, Double> cpuMicrosPerRowByThread,
            @Nullable Map<String, Double> cpuMicrosPerRowByNeighbour,
            @Nullable Double maxHeapMiB,
            @Nullable Double gcMs,
            @Nullable Double p50Ms,
            @Nullable Double p99Ms,
            @Nullable Double committedRowsPerSecond) {}

    static CaptureReport of(CapturePlan plan, String postgres, List<Trial> trials) {
        Map<String, Shaped> shapes = new LinkedHashMap<>();
        for (Shape shape : plan.shapes()) {
            shapes.put(
                    shape.text(),
                    shaped(
                            plan.lineup().contenders(),
                            shape,
                            trials.stream()
                                    .filter(trial -> trial.shape() == shape)
                                    .toList()));
        }
        return new CaptureReport(
                "capture",
                new Settings(
                        plan.rows(),
                        plan.lineup().warmRows(),
                        plan.lineup().runs(),
                        plan.latencySeconds(),
                        plan.rowsPerSecond(),
                        plan.lineup().heap(),
                        plan.lineup().java(),
                        plan.lineup().unusual()),
                Machine.here(),
                Machine.versions(postgres),
                shapes);
    }

    private static Shaped shaped(List<Contender> contenders, Shape shape, List<Trial> trials) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            figures.put(
                    contender.text(),
                    figures(trials.stream()
                            .filter(trial -> trial.contender() == contender)
                            .toList()));
        }
        Map<String, Ratios> ratios = new LinkedHashMap<>();
        figures.forEach((name, own) -> ratios.put(
                name,
                new Ratios(
                        ratio(own, figures.get(Contender.PEER_EVENTROUTER.text())),
                        ratio(own, figures.get(Contender.LIMIT_READ.text())),
                        ratio(own, figures.get(Contender.LIMIT_READ_PRODUCE.text())))));
        List<Raw> raws = trials.stream().map(CaptureReport::raw).toList();
        return new Shaped(shape.rowsPerTransaction(), figures, ratios, raws);
    }

    private static Figures figures(List<Trial> trials) {
        return new Figures(
                median(trials, trial -> trial.drain().stream().map(drain -> drain.rowsPerSecond()), 0),
                median(trials, trial -> trial.drain().stream().map(drain -> drain.cpuMicrosPerRow()), 1),
                median(trials, trial -> trial.drain().stream().map(drain -> drain.allCpuMicrosPerRow()), 1),
                median(trials, trial -> trial.latency().stream().map(Latency::p50Millis), 1),
                median(trials, trial -> trial.latency().stream().map(Latency::p99Millis), 1),
                median(trials, trial -> trial.drain().stream().map(drain -> drain.maxHeapMiB()), 1));
    }

    private static @Nullable Double median(List<Trial> trials, Function<Trial, Stream<Double>> figure, int digits) {
        return Figure.median(trials.stream().flatMap(figure).toList(), digits);
    }

    private static @Nullable Double ratio(Figures own, @Nullable Figures other) {
        return other == null ? null : Figure.ratio(own.rowsPerSecond(), other.rowsPerSecond());
    }

    private static Raw raw(Trial trial) {
        var drain = trial.drain().orElse(null);
        Latency latency = trial.latency().orElse(null);
        if (drain == null) {
            return new Raw(
                    trial.contender().text(),
                    trial.run(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    latency == null ? null : Figure.rounded(latency.p50Millis(), 2),
                    latency == null ? null : Figure.rounded(latency.p99Millis(), 2),
                    latency == null ? null : Figure.rounded(latency.rowsPerSecond(), 0));
        }
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
                drain.gcMillis(),
                null,
                null,
                null);
    }
}
