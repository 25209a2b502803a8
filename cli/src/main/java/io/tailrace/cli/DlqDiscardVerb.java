package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dlq discard}: for what has no way back. */
@Command(
        name = "discard",
        description = {
            "Take dead letters away for good, such as those of rows that were inserted anew.",
            "A key that stops at one (on-dead-letter: halt-key) goes on, unless it stops at another one before it. The row of a command that",
            "is dead is cancelled first: nothing can requeue it any more. The operations topic keeps who did it and why."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq discard 0190b7a0-0000-7000-8000-000000000001 --dry-run",
            "  tailrace dlq discard 0190b7a0-0000-7000-8000-000000000001 --why 'inserted anew'"
        })
final class DlqDiscardVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final NamedLetters letters = new NamedLetters();

    @Override
    public Integer call() {
        TailraceConfig read = config.readReaching(Server.KAFKA, Server.POSTGRES);
        DeadLetters deadLetters = new DeadLetters(read);
        Selection selected = Selection.ofRows(letters.rowIds()).ofSources(config.limitedTo(read));
        Replay.Order order = letters.order();
        Set<String> missing = letters.rowIds();
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        try {
            for (String x : DeadLetterSelection.everyX(read)) {
                Replay.Report report = deadLetters.discard(x, selected, order);
                report.rows().forEach(row -> {
                    missing.remove(row.letter().rowId());
                    rows.add(ReplayOutput.row(row));
                });
                exit = Math.max(exit, ReplayOutput.tell(output, x, report));
            }
        } catch (RuntimeException failed) {
            ReplayOutput.listDone(output, rows);
            throw failed;
        }
        output.list(rows, "no dead letters to discard");
        for (String rowId : missing) {
            output.err().println("no dead letter of row " + rowId + " was looked at");
            exit = Exit.FAILED;
        }
        return exit;
    }
}
