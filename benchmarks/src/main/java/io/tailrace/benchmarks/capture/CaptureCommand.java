package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.RunOptions;
import io.tailrace.benchmarks.harness.Shape;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run capture}. */
@Command(
        name = "capture",
        description =
                "From committed row to Kafka: rows per second, CPU, heap and latency, beside a peer and beside the limit.",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true)
public final class CaptureCommand implements Callable<Integer> {

    private enum Shapes {
        ONE,
        HUNDRED,
        BOTH
    }

    @Option(names = "--rows", defaultValue = "300000", description = "Rows that each contender drains.")
    private int rows;

    @Option(names = "--shape", defaultValue = "both", description = "Rows of a transaction: ${COMPLETION-CANDIDATES}.")
    private Shapes shape = Shapes.BOTH;

    @Option(
            names = "--seconds",
            defaultValue = "20",
            description = "Time for which latency is measured; 0 leaves it out.")
    private int seconds;

    @Option(names = "--rate", defaultValue = "1000", description = "Rows that are committed in a second meanwhile.")
    private int rate;

    @Option(
            names = "--engine",
            paramLabel = "KEY=VALUE",
            description = "Short for --tailrace engine.KEY=VALUE, such as max-batch-size=4096.")
    private Map<String, String> engine = new LinkedHashMap<>();

    @Mixin
    private RunOptions options = new RunOptions();

    /** For the command line. */
    public CaptureCommand() {}

    @Override
    public Integer call() throws Exception {
        CapturePlan plan = options.plan(this::plan);
        return options.print(() -> CaptureRun.of(plan, System.err::println), ReportTable::of);
    }

    private CapturePlan plan() {
        engine.forEach((key, value) -> options.tailrace("engine." + key, value));
        return new CapturePlan(
                options.lineup(Contender.CAPTURE, rows),
                rows,
                shape == Shapes.BOTH ? Arrays.asList(Shape.values()) : List.of(Shape.valueOf(shape.name())),
                seconds,
                rate);
    }
}
