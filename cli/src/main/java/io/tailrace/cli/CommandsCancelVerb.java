package io.tailrace.cli;

import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Answer;
import java.util.UUID;
import picocli.CommandLine.Command;

/** {@code commands cancel}: pending ones never run. */
@Command(
        name = "cancel",
        description = "Cancel pending commands. One that runs now is not touched: the answer is running.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands cancel 0190b7a0-0000-7000-8000-000000000001"})
final class CommandsCancelVerb extends CommandAct {

    @Override
    Answer act(Commands commands, UUID id) {
        return commands.cancel(id);
    }
}
