package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Pauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code commands resume}: names that were stopped run again. */
@Command(
        name = "resume",
        description = {
            "Let commands of a name run again, whoever stopped them: an operator or, because of what they depend on, Tailrace.",
            "Executors wake those that waited."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands resume billing.charge-card"})
final class CommandsResumeVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<name>", arity = "1..*", description = "The command names, as they stand in the rows.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private List<String> names;

    @Override
    public Integer call() {
        Pauses pauses = new Pauses(config.readReaching(Server.POSTGRES).source());
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        for (String name : names) {
            boolean resumed = pauses.resume(name);
            rows.add(new Row().with("name", name).with("outcome", resumed ? "resumed" : "not-held"));
            exit = resumed ? exit : Exit.FAILED;
        }
        output.list(rows, "");
        return exit;
    }
}
