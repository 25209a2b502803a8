package io.tailrace.cli;

import io.tailrace.proof.EngineProof;
import io.tailrace.proof.Fault;
import io.tailrace.proof.ProofSettings;
import io.tailrace.proof.Resume;
import io.tailrace.proof.Verdict;
import io.tailrace.proof.load.WorkloadKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code prove engine}: the crash loop. */
@Command(
        name = "engine",
        description = {
            "Kill the engine again and again while eight writers write, then count the rows in the tables against the records",
            "in the raw topics, as a read_committed reader sees them. On a PostgreSQL (fsync on) and a Kafka broker of its own,",
            "the engine in a JVM of its own, killed with SIGKILL: before it sends a batch, between send and commit, after the",
            "commit, before the slot hears of it, while it looks for its place, and at any moment; how often where is counted.",
            "Ends with 0 only if no row is missing, doubled, made up or out of the order of its key."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace prove engine --kills 200",
            "  tailrace prove engine --kills 50 --fault postgres",
            "  tailrace prove engine --kills 200 --seed 4711 -o json | jq .missing",
            "  tailrace prove engine --kills 50 --resume stock       the control: can this test fail?"
        })
final class ProveEngineVerb implements Callable<Integer> {

    @Option(
            names = "--kills",
            paramLabel = "<number>",
            defaultValue = "30",
            description = "How often (default: 30). One takes some seconds, with --fault zombie about 15.")
    private int kills;

    @Option(
            names = "--seed",
            paramLabel = "<number>",
            description =
                    "Of the writers and the moments; printed with the result. It does not fix the machine's timing.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--workload",
            paramLabel = "<kind>",
            defaultValue = "mixed",
            description = {
                "mixed (default): inserts of one and many rows, COPY of up to 10,000, savepoints,",
                "  two-phase commits, rollbacks, logical messages, commands and their cancellation.",
                "single: one row in each transaction.",
                "copy: COPY alone.",
                "The transactions overlap."
            })
    @SuppressWarnings("NullAway.Init") // by picocli
    private WorkloadKind workload;

    @Option(
            names = "--fault",
            paramLabel = "<what>",
            defaultValue = "engine",
            description = {
                "engine (default): SIGKILL to the engine.",
                "postgres: the server crashes and comes back, and the engine lives on.",
                "broker: SIGKILL to the broker, which comes back, and the engine lives on.",
                "zombie: two engines; the one that streams is stopped by SIGSTOP, succeeded, resumed."
            })
    @SuppressWarnings("NullAway.Init") // by picocli
    private Fault fault;

    @Option(
            names = "--resume",
            paramLabel = "<whose>",
            defaultValue = "tailrace",
            description = {
                "tailrace (default).",
                "stock: the control. The same mapping on Debezium's own stream, offsets and search",
                "  for the place to resume at. It promises at least once, so doubled rows are no news;",
                "  missing ones show that this test can fail."
            })
    @SuppressWarnings("NullAway.Init") // by picocli
    private Resume resume;

    @Mixin
    private final Output output = new Output();

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, SQLException {
        ProofSettings settings = settings();
        Path directory = Files.createTempDirectory("tailrace-proof-");
        PrintWriter err = output.err();
        Logging.to(directory.resolve("proof.log"));
        try (Lifetime lifetime = Lifetime.begin()) {
            EngineProof proof = new EngineProof(
                    settings,
                    directory,
                    line -> {
                        err.println(line);
                        err.flush();
                    },
                    () -> isAsked(lifetime));
            try {
                return judge(proof.run(), directory);
            } catch (IOException | SQLException | RuntimeException failed) {
                if (!isAsked(lifetime)) {
                    throw failed;
                }
                // A signal takes servers and children down while the loop still runs; what it then meets is no finding.
                err.println("Ended before it was over: nothing is proved.");
                delete(directory);
                return Exit.FAILED;
            }
        }
    }

    private int judge(Verdict verdict, Path directory) {
        print(verdict);
        if (verdict.isClean()) {
            delete(directory);
            return Exit.DONE;
        }
        verdict.counts().examples().forEach(output.err()::println);
        output.err().println("Data and logs are kept in " + directory);
        return Exit.FAILED;
    }

    private ProofSettings settings() {
        try {
            return new ProofSettings(
                    List.of(new ProofSettings.Act(fault, kills)),
                    seed.orElseGet(() -> (long) new Random().nextInt(Integer.MAX_VALUE)),
                    workload,
                    resume,
                    ProofSettings.PATIENCE);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
    }

    private void print(Verdict verdict) {
        if (output.isJson()) {
            output.json(verdict.json());
            return;
        }
        Output.Row row = new Output.Row();
        verdict.json().forEach(row::with);
        output.one(row);
        output.out()
                .println(
                        verdict.isClean()
                                ? "Right: every committed row was read once and in order, and nothing else was."
                                : "NOT RIGHT.");
        output.out().flush();
    }

    private static boolean isAsked(Lifetime lifetime) {
        try {
            return lifetime.isAskedToEnd(Duration.ZERO);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + directory, failed);
        }
    }
}
