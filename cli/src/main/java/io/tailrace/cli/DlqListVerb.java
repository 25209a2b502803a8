package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dlq list}: dead letters, rows of a key in order. */
@Command(
        name = "list",
        description = "List dead letters, without their payloads.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq list",
            "  tailrace dlq list --of events --reason no-route --name 'sales.*' -o json"
        })
final class DlqListVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final DeadLetterSelection selection = new DeadLetterSelection();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<String> of = selection.of();
        var asked = selection.selection();
        TailraceConfig read = config.readReaching(Server.KAFKA);
        var selected = asked.ofSources(config.limitedTo(read));
        DeadLetters deadLetters = new DeadLetters(read);
        List<Row> rows = new ArrayList<>();
        for (String x : of) {
            for (DeadLetter letter : deadLetters.list(x, selected)) {
                rows.add(row(letter, output.isJson()));
            }
        }
        output.list(rows, "no dead letters");
        return Exit.DONE;
    }

    static Row row(DeadLetter letter, boolean whole) {
        Row row = new Row()
                .with("of", letter.x())
                .with("id", letter.rowId())
                .with("name", letter.name())
                .with("key", letter.orderingKey())
                .with("reason", letter.reason())
                .with("attempts", letter.attempts())
                .with("failed", letter.failedAt().map(Object::toString));
        if (whole) {
            row.with("firstFailed", letter.firstFailedAt().map(Object::toString))
                    .with("errorClass", letter.errorClass())
                    .with("replays", letter.replayCount())
                    .with("source", letter.source())
                    .with("place", letter.place().map(Object::toString))
                    .with("payloadBytes", letter.value().length());
        }
        return row.with("error", letter.errorMessage());
    }
}
