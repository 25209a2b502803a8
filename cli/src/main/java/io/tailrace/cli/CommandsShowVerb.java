package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Commands;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code commands show}: all that its row says. */
@Command(
        name = "show",
        description = "Show one command.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands show 0190b7a0-0000-7000-8000-000000000001 --payload"})
final class CommandsShowVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<id>", description = "The command.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private UUID id;

    @Option(names = "--payload", description = "Print the payload too, without its secrets.")
    private boolean payload;

    @Override
    public Integer call() {
        TailraceConfig read = config.readReaching(Server.POSTGRES);
        Commands commands = new Commands(read.source());
        var command = commands.find(id).orElseThrow(() -> new VerbFailed("no command " + id));
        Row row = CommandsListVerb.row(command)
                .with("turn", command.delivery().turn())
                .with("place", command.delivery().place())
                .with("hold", command.delivery().hold())
                .with("dedupKey", command.dedupKey())
                .with("createdAt", command.timing().createdAt())
                .with("firstFailedAt", command.timing().firstFailedAt())
                .with("failedAt", command.timing().failedAt())
                .with("completedAt", command.timing().completedAt())
                .with("lastError", command.lastError());
        if (payload) {
            row.with("payload", commands.payload(id, read.redact().secrets().ofCommand(command.name())));
        }
        output.one(row);
        return Exit.DONE;
    }
}
