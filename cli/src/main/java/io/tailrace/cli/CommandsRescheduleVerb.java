package io.tailrace.cli;

import io.tailrace.operations.Commands;
import io.tailrace.operations.Commands.Answer;
import java.time.OffsetDateTime;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code commands reschedule}: pending ones become due at another instant. */
@Command(
        name = "reschedule",
        description = "Make pending commands due at another instant.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Example:",
            "  tailrace commands reschedule 0190b7a0-0000-7000-8000-000000000001 --at 2030-01-01T09:00:00+01:00"
        })
final class CommandsRescheduleVerb extends CommandAct {

    @Option(
            names = "--at",
            required = true,
            paramLabel = "<instant>",
            description = "With its offset, such as 2030-01-01T09:00:00+01:00 or 2030-01-01T08:00:00Z.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private OffsetDateTime at;

    @Override
    Answer act(Commands commands, UUID id) {
        return commands.reschedule(id, at);
    }
}
