package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Reason;
import io.tailrace.operations.Selection;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which dead letters are chosen. Lists are comma-separated; blanks and commas too many do no harm. */
final class DeadLetterSelection {

    @Option(
            names = "--of",
            paramLabel = "<x>",
            description = "events, commands and names of subscriptions, comma-separated (default: all).")
    private @Nullable String of;

    @Option(
            names = "--id",
            paramLabel = "<row id>",
            description = "These rows; comma-separated, or given more than once.")
    private List<String> ids = List.of();

    @Option(names = "--reason", paramLabel = "<reason>", description = "Parked for this reason, such as no-route.")
    private @Nullable String reason;

    @Option(
            names = "--name",
            paramLabel = "<name>",
            description = "Of this event or command name; sales.* for all that begin so.")
    private @Nullable String name;

    @Option(names = "--key", paramLabel = "<key>", description = "Of this ordering key.")
    private @Nullable String key;

    @Option(names = "--limit", paramLabel = "<n>", description = "At most so many of each, the first in order.")
    private int limit = Integer.MAX_VALUE;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    /** Whose dead letters. */
    List<String> of(TailraceConfig config) {
        List<String> all = everyX(config);
        List<String> wanted = of == null ? all : items(of);
        for (String x : wanted) {
            if (!all.contains(x)) {
                throw wrong("--of takes " + String.join(", ", all) + ", not '" + x + "'");
            }
        }
        return wanted;
    }

    /** Whether those of commands may be among them, before the configuration is read. */
    boolean mayBeOfCommands() {
        return of == null || items(of).contains(Topics.COMMANDS);
    }

    /** Whether one kind alone was asked for. */
    boolean isOfOne() {
        return of != null && items(of).size() == 1;
    }

    /** Events, commands, and the subscriptions. */
    static List<String> everyX(TailraceConfig config) {
        return Stream.concat(Stream.of(Topics.EVENTS, Topics.COMMANDS), config.subscriptionNames().stream())
                .toList();
    }

    boolean isEverything() {
        return ids.isEmpty() && reason == null && name == null && key == null && limit == Integer.MAX_VALUE;
    }

    Selection selection() {
        if (limit < 1) {
            throw wrong("--limit must be 1 or more");
        }
        if (of != null) {
            items(of).stream().filter(x -> !mayBe(x)).findFirst().ifPresent(x -> {
                throw wrong("--of takes events, commands and names of subscriptions, not '" + x + "'");
            });
        }
        Set<String> rows = new HashSet<>();
        ids.forEach(list -> rows.addAll(items(list)));
        if (!ids.isEmpty() && rows.isEmpty()) {
            // An empty list that were read as "no condition" would select everything.
            throw wrong("--id names no row");
        }
        return new Selection(rows, checkedReason(), given(name, "--name"), Optional.ofNullable(key), limit);
    }

    /** As far as can be told without the configuration. */
    private static boolean mayBe(String x) {
        return x.equals(Topics.EVENTS) || x.equals(Topics.COMMANDS) || Topics.isSubscriptionName(x);
    }

    private Optional<String> checkedReason() {
        Optional<String> given = given(reason, "--reason");
        given.filter(word -> Reason.of(word).isEmpty()).ifPresent(word -> {
            throw wrong("--reason takes one of " + Arrays.toString(Reason.values()) + ", not '" + word + "'");
        });
        return given;
    }

    private Optional<String> given(@Nullable String value, String option) {
        if (value != null && value.isBlank()) {
            throw wrong(option + " is empty");
        }
        return Optional.ofNullable(value).map(String::strip);
    }

    static List<String> items(String list) {
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(item -> !item.isEmpty())
                .distinct()
                .toList();
    }

    private ParameterException wrong(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }
}
