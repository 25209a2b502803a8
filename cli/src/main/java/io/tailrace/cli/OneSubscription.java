package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.route.RoutePattern;
import io.tailrace.operations.Pauses;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A subscription, and names of its events, or none for all of them. */
final class OneSubscription {

    @Parameters(
            index = "0",
            paramLabel = "<subscription>",
            description = "The subscription, as the configuration names it.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private String name;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "<event>",
            description = "Event names, as they stand in the rows (default: all events of the subscription).")
    private List<String> events = List.of();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    /**
     * What is held of it.
     *
     * @param config that must know it
     */
    Pauses pauses(OneSourceOption config) {
        TailraceConfig chosen = config.readReaching(Server.POSTGRES);
        if (!chosen.subscriptionNames().contains(name)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "there is no subscription '%s' (%s)"
                            .formatted(
                                    name,
                                    chosen.subscriptionNames().isEmpty()
                                            ? "the configuration has none"
                                            : String.join(", ", chosen.subscriptionNames())));
        }
        return Pauses.ofEvents(chosen.source(), name);
    }

    /** The names that were given, or what stands for all of them. */
    List<String> events() {
        return events.isEmpty() ? List.of(RoutePattern.ALL) : events;
    }
}
