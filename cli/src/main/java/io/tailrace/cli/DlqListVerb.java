package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.DeadLetters.Head;
import io.tailrace.operations.DeadLetters.Page;
import io.tailrace.operations.Halt;
import io.tailrace.operations.Halts;
import io.tailrace.operations.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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

    @Option(
            names = "--after",
            paramLabel = "<mark>",
            description = "The next page, as the one before said; with --of and the same --limit.")
    private @Nullable String after;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        var asked = selection.selection();
        if (after != null && !selection.isOfOne()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--after goes on with one kind: say which with --of");
        }
        TailraceConfig read = config.readReaching(Server.KAFKA);
        List<String> of = selection.of(read);
        var selected = asked.ofSources(config.limitedTo(read));
        DeadLetters deadLetters = new DeadLetters(read);
        List<Row> rows = new ArrayList<>();
        List<String> more = new ArrayList<>();
        for (String x : of) {
            Page page = page(deadLetters, x, selected);
            List<DeadLetter> letters = page.heads().stream().map(Head::letter).toList();
            Halts halts = deadLetters.halts(letters);
            page.heads().forEach(head -> rows.add(row(head, halts.at(head.letter()), output.isJson())));
            tell(output, halts);
            page.next().ifPresent(next -> more.add("--of %s --after %s".formatted(x, next)));
        }
        output.list(rows, "no dead letters");
        more.forEach(next -> output.err().println("there are more: " + next));
        return Exit.DONE;
    }

    private Page page(DeadLetters deadLetters, String x, Selection selected) {
        try {
            return deadLetters.page(
                    x, selected.limitedTo(Integer.MAX_VALUE), Optional.ofNullable(after), selected.limit());
        } catch (IllegalArgumentException foreign) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(foreign.getMessage()), foreign);
        }
    }

    /** A blank must not be taken for an answer. */
    static void tell(Output output, Halts halts) {
        if (!halts.isComplete()) {
            output.err()
                    .println(
                            "not all that waits, or not every table, could be seen: more keys may stop than \"halts\" shows");
        }
    }

    static Row row(Head head, Optional<Halt> halt, boolean whole) {
        DeadLetter letter = head.letter();
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
                    .with("payloadBytes", head.payloadBytes());
        }
        return row.with("error", letter.errorMessage());
    }
}
