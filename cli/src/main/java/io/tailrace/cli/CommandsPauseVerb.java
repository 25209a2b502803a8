package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Pauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code commands pause}: names that do not run until they are resumed. */
@Command(
        name = "pause",
        description = {
            "Stop commands by name. They wait, without using an attempt, until the name is resumed; restarts change nothing.",
            "Executors hear of it within a second. What runs meanwhile runs to its end."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands pause billing.charge-card --why 'the bank moves'"})
final class CommandsPauseVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<name>", arity = "1..*", description = "The command names, as they stand in the rows.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private List<String> names;

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who pauses, to be kept (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Option(names = "--why", paramLabel = "<text>", description = "Why, to be kept.")
    private String why = "";

    @Override
    public Integer call() {
        Pauses pauses = new Pauses(config.readReaching(Server.POSTGRES).source());
        List<Row> rows = new ArrayList<>();
        for (String name : names) {
            rows.add(new Row()
                    .with("name", name)
                    .with("outcome", pauses.pause(name, by, why) ? "paused" : "already-paused"));
        }
        output.list(rows, "");
        return Exit.DONE;
    }
}
