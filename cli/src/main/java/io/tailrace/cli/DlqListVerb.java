package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Halt;
import io.tailrace.operations.Halts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dlq list}: dead letters, rows of a key in order. */
@Command(
        name = "list",
        description = {
            "List dead letters, without their payloads.",
            "\"halts\": the key stops at this one, and so many newer rows wait until it is replayed, skipped or discarded."
        },
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
        var asked = selection.selection();
        TailraceConfig read = config.readReaching(Server.KAFKA);
        List<String> of = selection.of(read);
        var selected = asked.ofSources(config.limitedTo(read));
        DeadLetters deadLetters = new DeadLetters(read);
        List<Row> rows = new ArrayList<>();
        for (String x : of) {
            List<DeadLetter> letters = deadLetters.list(x, selected);
            Halts halts = deadLetters.halts(letters);
            letters.forEach(letter -> rows.add(row(letter, halts.at(letter), output.isJson())));
            tell(output, halts);
        }
        output.list(rows, "no dead letters");
        return Exit.DONE;
    }

    /** A blank must not be taken for an answer. */
    static void tell(Output output, Halts halts) {
        if (!halts.isComplete()) {
            output.err().println("too many rows wait to see all in time: more keys may stop than \"halts\" shows");
        }
    }

    static Row row(DeadLetter letter, Optional<Halt> halt, boolean whole) {
        Row row = new Row()
                .with("of", letter.x())
                .with("id", letter.rowId())
                .with("name", letter.name())
                .with("key", letter.orderingKey())
                .with("reason", letter.reason())
                .with("attempts", letter.attempts())
                .with("halts", halt.map(Halt::waiting))
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
