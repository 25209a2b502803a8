package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetters;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dlq discard}: for what has no way back. */
@Command(
        name = "discard",
        description = {
            "Take dead letters away for good, such as those of rows that were inserted anew.",
            "A key that stops at one (on-dead-letter: halt-key) goes on, unless it stops at another one before it. The row of a command that",
            "is dead is cancelled first: nothing can requeue it any more. The operations topic keeps who did it and why."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq discard 0190b7a0-0000-7000-8000-000000000001 --dry-run",
            "  tailrace dlq discard 0190b7a0-0000-7000-8000-000000000001 --why 'inserted anew'"
        })
final class DlqDiscardVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final NamedLetters letters = new NamedLetters();

    @Override
    public Integer call() {
        TailraceConfig read = config.readReaching(Server.KAFKA, Server.POSTGRES);
        return letters.each(
                read, config.limitedTo(read), output, "no dead letters to discard", new DeadLetters(read)::discard);
    }
}
