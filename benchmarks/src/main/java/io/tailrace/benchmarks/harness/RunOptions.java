package io.tailrace.benchmarks.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.benchmarks.contender.Contender;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every side-by-side run takes on its command line, and how it ends. */
public final class RunOptions {

    private enum Format {
        TABLE,
        JSON
    }

    @Option(names = "--warm-up", description = "Rows that each drains before, from another database.")
    private @Nullable Integer warmUp;

    @Option(names = "--runs", defaultValue = "3", description = "Times that each is measured; medians are reported.")
    private int runs;

    @Option(names = "--contenders", split = ",", description = "Only these, separated by commas.")
    private @Nullable List<String> contenders;

    @Option(names = "--heap", defaultValue = "512m", description = "Heap of each contender's JVM, as in -Xmx.")
    private String heap = "";

    @Option(
            names = "--java",
            paramLabel = "OPTION",
            description = "A further option of each contender's JVM to try, such as --java=-XX:+UseSerialGC.")
    private List<String> java = new ArrayList<>();

    @Option(
            names = "--tailrace",
            paramLabel = "KEY=VALUE",
            description = "A setting of Tailrace to try, such as router.commit-interval=10ms; shown in the report.")
    private Map<String, String> tailrace = new LinkedHashMap<>();

    @Option(
            names = "--peer",
            paramLabel = "KEY=VALUE",
            description =
                    "A setting of the peer to try: of its Debezium, such as max.queue.size=16384; threads or poll-ms of those that run"
                            + " commands. Shown in the report.")
    private Map<String, String> peer = new LinkedHashMap<>();

    @Option(names = "--jfr", description = "A directory that takes a flight recording of each contender.")
    private @Nullable Path recordings;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}.")
    private Format output = Format.TABLE;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    /** For the command line. */
    public RunOptions() {}

    /** Something that is run and reported; fails with an {@link IllegalStateException} that says who did not do his work. */
    @FunctionalInterface
    public interface Run<R> {
        R run() throws Exception;
    }

    /**
     * Who takes part.
     *
     * @param usual when nothing else is said
     * @param usualWarmUp when nothing else is said
     * @throws IllegalArgumentException when that makes no sense
     */
    public Lineup lineup(List<Contender> usual, int usualWarmUp) {
        Map<Contender, Map<String, String>> settings = new HashMap<>();
        for (Contender contender : Contender.values()) {
            if (contender == Contender.PEER_EVENTROUTER || (contender.runsCommands() && !contender.isTailrace())) {
                settings.put(contender, peer);
            } else if (contender.isTailrace()) {
                settings.put(contender, tailrace);
            }
        }
        return new Lineup(
                contenders == null
                        ? usual
                        : contenders.stream().map(Contender::of).toList(),
                warmUp != null ? warmUp : usualWarmUp,
                runs,
                heap,
                java,
                settings,
                Optional.ofNullable(recordings));
    }

    /** As if it had been given with {@code --tailrace}. */
    public void tailrace(String key, String value) {
        tailrace.put(key, value);
    }

    /** What the command line asks for, or its refusal. */
    public <P> P plan(Supplier<P> plan) {
        try {
            return plan.get();
        } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), String.valueOf(nonsense.getMessage()));
        }
    }

    /** Runs, and prints what came out; returns the exit code. */
    public <R> int print(Run<R> run, Function<R, String> table) throws Exception {
        if (recordings != null) {
            Files.createDirectories(recordings);
        }
        R report;
        try {
            report = run.run();
        } catch (IllegalStateException failed) {
            System.err.println("The run failed: " + failed.getMessage());
            return 1;
        }
        PrintWriter out = new PrintWriter(System.out, true);
        out.println(
                output == Format.JSON
                        ? new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(report)
                        : table.apply(report));
        return 0;
    }
}
