package io.tailrace.cli;

import io.tailrace.cli.ProofRun.Shown;
import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.proof.ProofSettings;
import io.tailrace.proof.commands.CommandsProof;
import io.tailrace.proof.commands.CommandsSettings;
import io.tailrace.proof.commands.CommandsVerdict;
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

/** {@code prove commands}: effects exactly once, in order, not early, through kills and outages. */
@Command(
        name = "commands",
        description = {
            "Kill executors again and again while commands are done, fail, are put off and die; let the broker and the database",
            "crash and stay away for longer than a command may fail; replay all dead letters; then hold every effect against",
            "the commands in their table. On a PostgreSQL (fsync on), a Kafka broker, an engine, a router and two executors of",
            "its own, each executor in a JVM of its own.",
            "An executor is killed with SIGKILL: before it claims what it has read; in a handler; when a failure is stamped and",
            "the retry topic has no record of it; when a row that was released is done and its lane does not know; when the",
            "answer is safe and the offset has not passed; and at any moment. One is stopped for longer than its lease and",
            "wakes up; the server ends the sessions of all. How often where is counted.",
            "Ends with 0 only if every command has its effect, once, in the order of its key and not before its time, or is",
            "dead with one dead letter, none has used an attempt that its handler has not returned, and there was something",
            "of everything to judge: each point was hit (give it at least 8 kills)."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace prove commands",
            "  tailrace prove commands --kills 50 --seed 4711 -o json | jq .duplicated",
            "  tailrace prove commands --guarantee at-least-once       the control: can this test fail?"
        })
final class ProveCommandsVerb implements Callable<Integer> {

    @Option(
            names = "--kills",
            paramLabel = "<number>",
            defaultValue = "16",
            description = "How often (default: 16, about two minutes in all). One takes some seconds.")
    private int kills;

    @Mixin
    private final SeedOption seed = new SeedOption();

    @Option(
            names = "--guarantee",
            paramLabel = "<which>",
            defaultValue = "exactly-once",
            converter = GuaranteeName.class,
            description = {
                "exactly-once (default): handlers write over the connection of the command.",
                "at-least-once: the control. The same handlers write over a connection of their own: what they have done when",
                "  they are killed is done again, and this test must say so."
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
        CommandsSettings settings = settings();
        return new ProofRun(output)
                .of((directory, progress, asked) ->
                        shown(new CommandsProof(settings, directory, progress, asked, Clock.systemUTC()).run()));
    }

    private static Shown shown(CommandsVerdict verdict) {
        return new Shown(
                verdict.json(),
                verdict.isProved(),
                "Right: every command has its effect, once, in order and in time, or a dead letter, and no attempt was burned.",
                verdict.findings());
    }

    private CommandsSettings settings() {
        try {
            return new CommandsSettings(kills, seed.value(), guarantee, ProofSettings.PATIENCE);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
    }
}
