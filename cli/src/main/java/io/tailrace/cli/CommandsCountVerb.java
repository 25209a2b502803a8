package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.CommandCounts;
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
        description = {
            "Count commands by state.",
            "pending is the sum of due, scheduled and blocked: blocked ones may run but for an earlier one of their key that waits, or because",
            "their name is held."
        },
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
        CommandCounts counts =
                new Commands(config.readReaching(Server.POSTGRES).source()).counts(Optional.ofNullable(name));
        output.one(new Row()
                .with("pending", counts.pending())
                .with("due", counts.due())
                .with("scheduled", counts.scheduled())
                .with("blocked", counts.blocked())
                .with("completed", counts.completed())
                .with("dead", counts.dead())
                .with("cancelled", counts.cancelled()));
        return Exit.DONE;
    }
}
