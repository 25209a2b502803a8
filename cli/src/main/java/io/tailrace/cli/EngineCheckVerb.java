package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.engine.EngineOperations;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code engine check}: the pre-flight of an engine, from outside. */
@Command(
        name = "check",
        description = {
            "Say what an engine would be refused for, if it were started now: slot, position, publication, server.",
            "Changes nothing; can be asked while an engine runs."
        },
        mixinStandardHelpOptions = true)
final class EngineCheckVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() throws SQLException {
        List<String> refusals = new EngineOperations(config.readReaching(Server.POSTGRES, Server.KAFKA)).refusals();
        if (output.isJson()) {
            output.list(
                    refusals.stream()
                            .map(refusal -> new Row().with("refusal", refusal))
                            .toList(),
                    "");
        } else if (refusals.isEmpty()) {
            output.err().println("an engine would start");
        } else {
            refusals.forEach(output.out()::println);
            output.out().flush();
        }
        return refusals.isEmpty() ? Exit.DONE : Exit.FAILED;
    }
}
