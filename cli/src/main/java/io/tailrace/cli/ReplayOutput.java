package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What came of a replay or a discard, printed. */
final class ReplayOutput {

    private ReplayOutput() {}

    static int tell(Output output, String x, Replay.Report report) {
        if (report.ending() == Ending.FENCED) {
            output.err()
                    .println(
                            ("Another operator took over the dead letters of %s: %d rows were done here, the other %d are"
                                            + " theirs now. Nothing is done twice.")
                                    .formatted(x, report.rows().size(), report.remaining()));
            return Exit.FAILED;
        }
        if (report.ending() == Ending.FAILED) {
            output.err()
                    .println(
                            ("%s: %s, as below; then it failed: %s. Of the other %d nothing is known to be done. Run it again: no"
                                            + " row is done twice.")
                                    .formatted(x, counts(report), report.because(), report.remaining()));
            return Exit.FAILED;
        }
        if (!report.rows().isEmpty()) {
            output.err()
                    .println("%s: %s".formatted(x, counts(report))
                            + (report.order().dryRun() ? "; nothing was written" : ""));
        }
        return report.isDone() ? Exit.DONE : Exit.FAILED;
    }

    /** What other topics came to before one failed altogether. */
    static void listDone(Output output, List<Row> rows) {
        if (!rows.isEmpty()) {
            output.list(rows, "");
        }
    }

    private static String counts(Replay.Report report) {
        return Arrays.stream(Outcome.values())
                .filter(outcome -> report.count(outcome) > 0)
                .map(outcome -> report.count(outcome) + " " + outcome.text())
                .collect(Collectors.joining(", "));
    }

    static Row row(Replay.Row replayed) {
        return new Row()
                .with("of", replayed.letter().x())
                .with("id", replayed.letter().rowId())
                .with("name", replayed.letter().name())
                .with("key", replayed.letter().orderingKey())
                .with("reason", replayed.letter().reason())
                .with("newer", replayed.newer().map(Replay.Newer::text))
                .with("outcome", replayed.text());
    }
}
