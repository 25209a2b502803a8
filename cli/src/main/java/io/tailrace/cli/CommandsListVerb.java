package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Command.Status;
import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Filter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code commands list}: the youngest first. */
@Command(
        name = "list",
        description = "List commands, the youngest first, without their payloads.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace commands list --status dead",
            "  tailrace commands list --name billing.charge-card --key customer-7 -o json"
        })
final class CommandsListVerb implements Callable<Integer> {

    /** Characters of a last error. */
    private static final int MOST_OF_ERROR = 200;

    private static final String DEFAULT_LIMIT = "100";

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--status", paramLabel = "<status>", description = "pending, completed, dead or cancelled.")
    private @Nullable Status status;

    @Option(names = "--name", paramLabel = "<name>", description = "Of this name; billing.* for all that begin so.")
    private @Nullable String name;

    @Option(names = "--key", paramLabel = "<key>", description = "Of this ordering key.")
    private @Nullable String key;

    @Option(
            names = "--limit",
            paramLabel = "<n>",
            defaultValue = DEFAULT_LIMIT,
            description = "At most so many (default: " + DEFAULT_LIMIT + ", most: " + Commands.MOST_LISTED + ").")
    private int limit;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        Filter filter;
        try {
            filter =
                    new Filter(Optional.ofNullable(status), Optional.ofNullable(name), Optional.ofNullable(key), limit);
        } catch (IllegalArgumentException wrong) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
        var found = new Commands(config.readReaching(Server.POSTGRES).source()).list(filter);
        output.list(
                found.stream()
                        .map(command -> row(command).with("error", firstLine(command.lastError())))
                        .toList(),
                "no commands");
        if (found.size() == limit && !output.isJson()) {
            output.err().println("only the youngest " + limit + " are listed; --limit shows more");
        }
        return Exit.DONE;
    }

    /** Why it failed, or what it waits for; {@code commands show} has all of it. */
    private static String firstLine(String error) {
        String line = error.lines().findFirst().orElse("");
        return line.length() <= MOST_OF_ERROR ? line : line.substring(0, MOST_OF_ERROR - 1) + "…";
    }

    static Row row(io.tailrace.operations.Command command) {
        return new Row()
                .with("id", command.id().toString())
                .with("name", command.name())
                .with("key", command.orderingKey())
                .with("status", command.status().text())
                .with("runAt", command.timing().runAt())
                .with("notBefore", command.timing().notBefore())
                .with("attempts", command.delivery().attempts())
                .with("reason", command.delivery().reason());
    }
}
