package io.tailrace.cli;

import io.tailrace.cli.ProofRun.Shown;
import io.tailrace.proof.EngineProof;
import io.tailrace.proof.Fault;
import io.tailrace.proof.ProofSettings;
import io.tailrace.proof.Resume;
import io.tailrace.proof.Verdict;
import io.tailrace.proof.load.WorkloadKind;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
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

    @Mixin
    private final SeedOption seed = new SeedOption();

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
        return new ProofRun(output).of((directory, progress, asked) -> {
            Verdict verdict = new EngineProof(settings, directory, progress, asked).run();
            return new Shown(
                    verdict.json(),
                    verdict.isClean(),
                    "Right: every committed row was read once and in order, and nothing else was.",
                    verdict.counts().examples());
        });
    }

    private ProofSettings settings() {
        try {
            return new ProofSettings(
                    List.of(new ProofSettings.Act(fault, kills)),
                    seed.value(),
                    workload,
                    resume,
                    ProofSettings.PATIENCE);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
    }
}
