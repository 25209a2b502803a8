package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Dead letters that are named one by one, and who does something to them. */
final class NamedLetters {

    @Parameters(paramLabel = "<row id>", arity = "1..*", description = "The rows of the dead letters.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private List<String> rowIds;

    @Option(names = "--dry-run", description = "Say what would be done; nothing at all is written.")
    private boolean dryRun;

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who does it, to be kept (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Option(names = "--why", paramLabel = "<text>", description = "Why, to be kept.")
    private String why = "";

    /** What is done to those of one {@code x} that are selected. */
    interface Act {
        Replay.Report to(String x, Selection selected, Replay.Order order);
    }

    /**
     * Does it, and lists what came of it, also of what was done before something failed.
     *
     * @param limitedTo sources
     * @param nothing what is said when there was no such letter
     */
    int each(TailraceConfig config, Set<String> limitedTo, Output output, String nothing, Act act) {
        Selection selected = Selection.ofRows(new LinkedHashSet<>(rowIds)).ofSources(limitedTo);
        Replay.Order order = new Replay.Order(UUID.randomUUID().toString(), by, dryRun).because(why);
        Set<String> missing = new LinkedHashSet<>(rowIds);
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        try {
            for (String x : DeadLetterSelection.everyX(config)) {
                Replay.Report report = act.to(x, selected, order);
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
        output.list(rows, nothing);
        for (String rowId : missing) {
            output.err().println("no dead letter of row " + rowId + " was looked at");
            exit = Exit.FAILED;
        }
        return exit;
    }
}
