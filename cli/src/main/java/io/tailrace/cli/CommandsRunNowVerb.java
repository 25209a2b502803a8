package io.tailrace.cli;

import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Answer;
import java.util.UUID;
import picocli.CommandLine.Command;

/** {@code commands run-now}: pending ones become due now. */
@Command(
        name = "run-now",
        description = "Make pending commands due now.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands run-now 0190b7a0-0000-7000-8000-000000000001"})
final class CommandsRunNowVerb extends CommandAct {

    @Override
    Answer act(Commands commands, UUID id) {
        return commands.runNow(id);
    }
}
