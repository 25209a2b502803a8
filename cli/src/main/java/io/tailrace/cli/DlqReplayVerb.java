package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dlq replay}: the way back. */
@Command(
        name = "replay",
        description = {
            "Bring dead letters back, rows of a key in order, each with a full new budget.",
            "May be interrupted and run again: no row is replayed twice. Mend the cause first."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq replay --reason no-route --dry-run",
            "  tailrace dlq replay --of commands --name billing.charge-card",
            "  tailrace dlq replay --of billing --reason retries-exhausted",
            "  tailrace dlq replay --all",
            "",
            "\"replayed\" says that the row is on its way again. How it ends is seen at its destination, in `tailrace commands show`,",
            "or here again if it fails anew. \"cleared\" says that nothing is left to run: the command is gone, completed or cancelled, and",
            "only its letter was taken away. \"newer\" is how many newer rows of the key were delivered meanwhile; with a plus, at least so many."
        })
final class DlqReplayVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final DeadLetterSelection selection = new DeadLetterSelection();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--all", description = "Every dead letter: must be said when nothing else is.")
    private boolean all;

    @Option(names = "--dry-run", description = "Say what would be replayed; nothing at all is written.")
    private boolean dryRun;

    @Option(
            names = "--strict",
            description =
                    "Leave a row where it is if newer rows of its key were delivered, or commands of it done, meanwhile.")
    private boolean strict;

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who replays, for the trail of each row (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        Selection asked = selection.selection();
        if (selection.isEverything() && !all && !dryRun) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "say which dead letters (--id, --reason, --name, --key, --limit), or --all");
        }
        TailraceConfig read = selection.mayBeOfCommands()
                ? config.readReaching(Server.KAFKA, Server.POSTGRES)
                : config.readReaching(Server.KAFKA);
        List<String> of = selection.of(read);
        Selection selected = asked.ofSources(config.limitedTo(read));
        DeadLetters deadLetters = new DeadLetters(read);
        Replay.Order order = new Replay.Order(UUID.randomUUID().toString(), by, dryRun, strict);
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        try {
            for (String x : of) {
                Replay.Report report = deadLetters.replay(x, selected, order);
                report.rows().forEach(row -> rows.add(ReplayOutput.row(row)));
                exit = Math.max(exit, ReplayOutput.tell(output, x, report));
            }
        } catch (RuntimeException failed) {
            ReplayOutput.listDone(output, rows);
            throw failed;
        }
        output.list(rows, "no dead letters to replay");
        return exit;
    }
}
