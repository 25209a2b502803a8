package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Pauses;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code commands held}: names that do not run for now, and why. */
@Command(
        name = "held",
        description = "List command names that do not run for now: paused, broken, or without a handler.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands held"})
final class CommandsHeldVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        output.list(
                new Pauses(config.readReaching(Server.POSTGRES).source())
                        .list().stream()
                                .map(pause -> new Row()
                                        .with("name", pause.name())
                                        .with("kind", pause.kind().text())
                                        .with("rows", pause.rows())
                                        .with("since", pause.since())
                                        .with("by", pause.by())
                                        .with("note", pause.note()))
                                .toList(),
                "no names are held");
        return Exit.DONE;
    }
}
