package io.tailrace.benchmarks.capture;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code run capture}. */
@Command(
        name = "capture",
        description =
                "From committed row to Kafka: rows per second, CPU, heap and latency, beside a peer and beside the limit.",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true)
public final class CaptureCommand implements Callable<Integer> {

    private enum Format {
        TABLE,
        JSON
    }

    private enum Shapes {
        ONE,
        HUNDRED,
        BOTH
    }

    @Option(names = "--rows", defaultValue = "300000", description = "Rows that each contender drains.")
    private int rows;

    @Option(names = "--warm-up", description = "Rows that it drains before, from another database (default: as many).")
    private @Nullable Integer warmUp;

    @Option(names = "--runs", defaultValue = "3", description = "Times that each is measured; medians are reported.")
    private int runs;

    @Option(names = "--shape", defaultValue = "both", description = "Rows of a transaction: ${COMPLETION-CANDIDATES}.")
    private Shapes shape = Shapes.BOTH;

    @Option(
            names = "--seconds",
            defaultValue = "20",
            description = "Time for which latency is measured; 0 leaves it out.")
    private int seconds;

    @Option(names = "--rate", defaultValue = "1000", description = "Rows that are committed in a second meanwhile.")
    private int rate;

    @Option(names = "--contenders", split = ",", description = "Only these, separated by commas (default: all).")
    private @Nullable List<String> contenders;

    @Option(names = "--heap", defaultValue = "512m", description = "Heap of each contender's JVM, as in -Xmx.")
    private String heap = "";

    @Option(
            names = "--java",
            paramLabel = "OPTION",
            description = "A further option of each contender's JVM to try, such as --java=-XX:+UseSerialGC.")
    private List<String> java = new ArrayList<>();

    @Option(
            names = "--engine",
            paramLabel = "KEY=VALUE",
            description =
                    "A setting of Tailrace's section `engine` to try, such as max-batch-size=4096; shown in the report.")
    private Map<String, String> engine = new LinkedHashMap<>();

    @Option(
            names = "--peer",
            paramLabel = "KEY=VALUE",
            description = "A setting of the peer's Debezium to try, such as max.queue.size=16384; shown in the report.")
    private Map<String, String> peer = new LinkedHashMap<>();

    @Option(names = "--jfr", description = "A directory that takes a flight recording of each drain.")
    private @Nullable Path recordings;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}.")
    private Format output = Format.TABLE;

    @Spec
    private @Nullable CommandSpec spec;

    /** For the command line. */
    public CaptureCommand() {}

    @Override
    public Integer call() throws Exception {
        CapturePlan plan = plan();
        if (plan.recordings().isPresent()) {
            Files.createDirectories(plan.recordings().get());
        }
        CaptureReport report;
        try {
            report = CaptureRun.of(plan, System.err::println);
        } catch (IllegalStateException failed) {
            System.err.println("The run failed: " + failed.getMessage());
            return 1;
        }
        PrintWriter out = new PrintWriter(System.out, true);
        out.println(
                output == Format.JSON
                        ? new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(report)
                        : ReportTable.of(report));
        return 0;
    }

    private CapturePlan plan() {
        try {
            return new CapturePlan(
                    rows,
                    warmUp != null ? warmUp : rows,
                    runs,
                    shape == Shapes.BOTH ? Arrays.asList(Shape.values()) : List.of(Shape.valueOf(shape.name())),
                    contenders == null
                            ? Arrays.asList(Contender.values())
                            : new ArrayList<>(contenders)
                                    .stream().map(Contender::of).toList(),
                    seconds,
                    rate,
                    heap,
                    java,
                    Map.of(
                            Contender.TAILRACE_TABLE, engine,
                            Contender.TAILRACE_MESSAGE, engine,
                            Contender.PEER_EVENTROUTER, peer),
                    Optional.ofNullable(recordings));
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), String.valueOf(nonsense.getMessage()));
        }
    }
}
