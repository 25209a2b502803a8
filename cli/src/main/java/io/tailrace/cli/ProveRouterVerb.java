package io.tailrace.cli;

import io.tailrace.cli.ProofRun.Shown;
import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.proof.ProofSettings;
import io.tailrace.proof.router.RouterProof;
import io.tailrace.proof.router.RouterSettings;
import io.tailrace.proof.router.RouterVerdict;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code prove router}: order and once-only through retry, dead letter, replay, kills and outages. */
@Command(
        name = "router",
        description = {
            "Kill the router again and again while rows flow, fail, wait and die; take a destination away all the while, and",
            "the broker for longer than a row may fail; block a hot key with poison; then mend what was wrong, replay all dead",
            "letters, and hold everything that a read_committed reader has ever seen against the rows in the tables. On a",
            "PostgreSQL (fsync on), a Kafka broker, an engine and two routers of its own, each router in a JVM of its own.",
            "A router is killed with SIGKILL: stopped with an open transaction; after a failure was committed, to come back only",
            "when the wait of the row is over; in the middle of such a wait, to be succeeded by the other, and to take its share",
            "again; while it starts; and at any moment. How often where is counted.",
            "Ends with 0 only if no row is missing, doubled, out of its place within its key, or has used an attempt without a",
            "fault of its own, other keys flowed on beside the hot one, and there was something of everything to judge: each",
            "point was hit (give it at least 5 kills; some more hit what was missed), rows died, were replayed and came late."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace prove router",
            "  tailrace prove router --kills 50 --seed 4711 -o json | jq .orderViolations",
            "  tailrace prove router --guarantee at-least-once       the control: can this test fail?"
        })
final class ProveRouterVerb implements Callable<Integer> {

    @Option(
            names = "--kills",
            paramLabel = "<number>",
            defaultValue = "10",
            description = "How often (default: 10, about a minute and a half in all). One takes some seconds.")
    private int kills;

    @Mixin
    private final SeedOption seed = new SeedOption();

    @Option(
            names = "--guarantee",
            paramLabel = "<which>",
            defaultValue = "exactly-once",
            converter = GuaranteeName.class,
            description = {
                "exactly-once (default).",
                "at-least-once: the control. The same routers with `router.guarantee: at-least-once`: what they have sent",
                "  and not committed when they are killed is sent again, and this test must say so."
            })
    @SuppressWarnings("NullAway.Init") // by picocli
    private Guarantee guarantee;

    @Mixin
    private final Output output = new Output();

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, SQLException {
        RouterSettings settings = settings();
        return new ProofRun(output)
                .of((directory, progress, asked) ->
                        shown(new RouterProof(settings, directory, progress, asked, Clock.systemUTC()).run()));
    }

    private Shown shown(RouterVerdict verdict) {
        return new Shown(
                verdict.json(),
                verdict.isProved(),
                "Right: every committed row is where it belongs, once and in order, and no attempt was burned.",
                verdict.findings());
    }

    private RouterSettings settings() {
        try {
            return new RouterSettings(kills, seed.value(), guarantee, ProofSettings.PATIENCE);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
    }
}
