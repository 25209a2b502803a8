package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.Pauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code subscriptions resume}: events that were stopped are handled again. */
@Command(
        name = "resume",
        description = {
            "Let events of a subscription be handled again, whoever stopped them: an operator or, because of what they depend on, Tailrace.",
            "Without a name it takes back a pause of all events; names that are held by themselves stay so. Executors wake those that waited."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace subscriptions resume billing",
            "  tailrace subscriptions resume billing sales.order-placed"
        })
final class SubscriptionsResumeVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final OneSubscription subscription = new OneSubscription();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        Pauses pauses = subscription.pauses(config);
        List<Row> rows = new ArrayList<>();
        int exit = Exit.DONE;
        for (String name : subscription.events()) {
            boolean resumed = pauses.resume(name);
            rows.add(new Row().with("name", name).with("outcome", resumed ? "resumed" : "not-held"));
            exit = resumed ? exit : Exit.FAILED;
        }
        output.list(rows, "");
        return exit;
    }
}
