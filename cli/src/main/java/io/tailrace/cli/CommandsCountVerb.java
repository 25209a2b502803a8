package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Commands;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code commands count}: how many there are of each state. */
@Command(
        name = "count",
        description = "Count commands by state.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands count --name 'billing.*'"})
final class CommandsCountVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--name", paramLabel = "<name>", description = "Of this name; billing.* for all that begin so.")
    private @Nullable String name;

    @Override
    public Integer call() {
        Row row = new Row();
        new Commands(config.readReaching(Server.POSTGRES).source())
                .count(Optional.ofNullable(name))
                .forEach((status, count) -> row.with(status.text(), count));
        output.one(row);
        return Exit.DONE;
    }
}
