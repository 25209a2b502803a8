package io.tailrace.cli;

import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Answer;
import java.util.UUID;
import picocli.CommandLine.Command;

/** {@code commands requeue}: dead ones become pending again. */
@Command(
        name = "requeue",
        description = "Bring dead commands back, each with a full new budget; what dlq replay does for commands.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace commands requeue 0190b7a0-0000-7000-8000-000000000001"})
final class CommandsRequeueVerb extends CommandAct {

    @Override
    Answer act(Commands commands, UUID id) {
        return commands.requeue(id);
    }
}
