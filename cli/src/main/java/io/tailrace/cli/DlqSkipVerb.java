package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.DeadLetters;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dlq skip}: a key that stops at a dead letter goes on without it. */
@Command(
        name = "skip",
        description = {
            "Let keys go on that stop at a dead letter (on-dead-letter: halt-key): the newer rows are delivered or run, in order.",
            "The dead letter stays. It can be replayed later, and then comes behind what has gone on; or be discarded."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq skip 0190b7a0-0000-7000-8000-000000000001 --dry-run",
            "  tailrace dlq skip 0190b7a0-0000-7000-8000-000000000001 --why 'booked by hand'",
            "",
            "`tailrace dlq list` shows in the column \"halts\" how many rows wait behind a dead letter at which a key stops.",
            "\"skipped\" says of a command that its table lets the key go on; of an event of a subscription that its table does and the",
            "router was told; of any other event that the router was told. If the row is no more the head of its key by then, the",
            "router does nothing, and its log says so. The operations topic keeps who did it and why."
        })
final class DlqSkipVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final Output output = new Output();

    @Mixin
    private final NamedLetters letters = new NamedLetters();

    @Override
    public Integer call() {
        // Of events only the router is told; the database of any other is reached when it is needed.
        TailraceConfig read = config.readReaching(Server.KAFKA);
        return letters.each(read, config.limitedTo(read), output, "no keys to let go on", new DeadLetters(read)::skip);
    }
}
