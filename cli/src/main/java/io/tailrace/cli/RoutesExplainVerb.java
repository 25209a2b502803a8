package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.decide.Route;
import io.tailrace.router.decide.Routes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code routes explain}: what the router would decide about an event of that name, by the same code; connects to nothing. */
@Command(
        name = "explain",
        description = {
            "Say where an event of that name goes, and which rule says so. Connects to nothing.",
            "The name is judged as the router judges it; --version is the event_version that the row states."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace routes explain sales.order-placed",
            "  tailrace routes explain sales.order-placed --version 2 -o json"
        })
final class RoutesExplainVerb implements Callable<Integer> {

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<event name>", description = "As it stands in the row, with or without a version.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private String event;

    @Option(names = "--version", paramLabel = "<N>", description = "The version that the row states; without it, none.")
    private @Nullable Integer version;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    private boolean help;

    @Override
    public Integer call() {
        TailraceConfig read = config.read();
        List<String> problems = new ArrayList<>();
        Routes routes =
                Routes.compile(read.router().routes(), read.router().retry(), read.topicNames(), List.of(), problems);
        if (!problems.isEmpty()) {
            throw new ConfigRefused(String.join(System.lineSeparator(), problems));
        }
        OptionalInt stated = version == null ? OptionalInt.empty() : OptionalInt.of(version);
        output.one(RowName.event(event)
                .match(
                        name -> explain(read, routes, name, stated),
                        problem -> dead(OptionalInt.empty(), Reason.NAME_INVALID, problem)));
        return Exit.DONE;
    }

    private Row explain(TailraceConfig read, Routes routes, RowName name, OptionalInt stated) {
        OptionalInt which = name.version(stated);
        if (which.isEmpty()) {
            return dead(
                    stated,
                    Reason.VERSION_MISMATCH,
                    "the name contradicts version %d, or it is below 1".formatted(stated.orElse(0)));
        }
        int decided = which.getAsInt();
        List<String> considered = routes.considered(name, decided);
        return routes.resolve(name, decided)
                .map(route -> published(read, route, decided, considered))
                .orElseGet(() -> noRoute(routes, name, decided, considered));
    }

    private Row published(TailraceConfig read, Route route, int decided, List<String> considered) {
        return new Row()
                .with("event", event)
                .with("version", decided)
                .with("decision", "publish")
                .with("rule", route.rule())
                .with("topics", route.topics())
                .with("partitionKey", route.partitionKey().text())
                .with("retry", text(route.retry()))
                .with("onDeadLetter", word(route.onDeadLetter()))
                .with("audit", route.audited())
                .with("secrets", read.redact().secrets().ofEvent(event).toString())
                .with("passedOver", considered.stream().skip(1).toList())
                .with("why", why(route, considered));
    }

    private Row noRoute(Routes routes, RowName name, int decided, List<String> considered) {
        List<String> wanted = routes.wanted(name, decided);
        String why = wanted.isEmpty()
                ? considered.isEmpty()
                        ? "no rule takes it, and routes.default is none"
                        : "rule %s names no topic, and routes.default is none".formatted(considered.get(0))
                : "it would go to %s, which Tailrace or Kafka itself writes or which is no legal topic"
                        .formatted(wanted);
        boolean isTriedOnce = routes.retry(name, decided).isExhausted(1);
        return dead(OptionalInt.of(decided), Reason.NO_ROUTE, isTriedOnce ? why : why + "; tried once more before");
    }

    private Row dead(OptionalInt decided, Reason reason, String why) {
        return new Row()
                .with("event", event)
                .with("version", decided.isPresent() ? decided.getAsInt() : null)
                .with("decision", "dead-letter")
                .with("reason", reason.text())
                .with("why", why);
    }

    private static String why(Route route, List<String> considered) {
        if (considered.isEmpty()) {
            return "no rule takes it, so it goes the default way";
        }
        return considered.size() == 1
                ? "the only rule that takes it"
                : "%s is more specific than %s"
                        .formatted(route.rule(), String.join(", ", considered.subList(1, considered.size())));
    }

    private static String text(RetryPolicy policy) {
        return "waits for a destination that is down: %s doubling to %s"
                .formatted(text(policy.base()), text(policy.cap()));
    }

    private static String text(Duration wait) {
        return wait.toMillis() % 1000 == 0 ? wait.toSeconds() + " s" : wait.toMillis() + " ms";
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
