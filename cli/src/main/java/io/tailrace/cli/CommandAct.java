package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A verb that changes commands by a function of their schema, and prints what it answered for each. */
abstract class CommandAct implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<id>", arity = "1..*", description = "The commands.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private List<UUID> ids;

    @Option(names = "--dry-run", description = "Say what would be answered; nothing is changed.")
    private boolean dryRun;

    abstract Answer act(Commands commands, UUID id);

    @Override
    public Integer call() {
        SourceConfig source = config.readReaching(Server.POSTGRES).source();
        Commands commands = dryRun ? Commands.dryRun(source) : new Commands(source);
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        for (UUID id : ids) {
            Answer answer = act(commands, id);
            rows.add(new Row().with("id", id.toString()).with("outcome", outcome(answer)));
            exit = answer == Answer.OK ? exit : Exit.FAILED;
        }
        output.list(rows, "");
        return exit;
    }

    private String outcome(Answer answer) {
        return dryRun && answer == Answer.OK ? "would-be-ok" : answer.text();
    }
}
