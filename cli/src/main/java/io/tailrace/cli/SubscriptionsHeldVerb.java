package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Pauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code subscriptions held}: events that are not handled for now, and why. */
@Command(
        name = "held",
        description =
                "List events of all subscriptions that are not handled for now: paused, broken, or without a handler. * is all events of one.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace subscriptions held"})
final class SubscriptionsHeldVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        TailraceConfig chosen = config.readReaching(Server.POSTGRES);
        List<Row> rows = new ArrayList<>();
        for (String subscription : chosen.subscriptionNames()) {
            Pauses.ofEvents(chosen.source(), subscription)
                    .list()
                    .forEach(pause -> rows.add(new Row()
                            .with("subscription", subscription)
                            .with("name", pause.name())
                            .with("kind", pause.kind().text())
                            .with("rows", pause.rows())
                            .with("since", pause.since())
                            .with("by", pause.by())
                            .with("note", pause.note())));
        }
        output.list(rows, "no events are held");
        return Exit.DONE;
    }
}
