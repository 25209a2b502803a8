package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Pauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code subscriptions pause}: events that are not handled until they are resumed. */
@Command(
        name = "pause",
        description = {
            "Stop events of a subscription, all of them or by name. They wait, without using an attempt, until they are resumed; restarts"
                    + " change nothing.",
            "Executors hear of it within a second. What runs meanwhile runs to its end."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace subscriptions pause billing --why 'the bank moves'",
            "  tailrace subscriptions pause billing sales.order-placed"
        })
final class SubscriptionsPauseVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final OneSubscription subscription = new OneSubscription();

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who pauses, to be kept (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Option(names = "--why", paramLabel = "<text>", description = "Why, to be kept.")
    private String why = "";

    @Override
    public Integer call() {
        Pauses pauses = subscription.pauses(config);
        List<Row> rows = new ArrayList<>();
        for (String name : subscription.events()) {
            rows.add(new Row()
                    .with("name", name)
                    .with("outcome", pauses.pause(name, by, why) ? "paused" : "already-paused"));
        }
        output.list(rows, "");
        return Exit.DONE;
    }
}
