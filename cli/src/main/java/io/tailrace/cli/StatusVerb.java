package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Status;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code status}: how far everything has come, seen from outside. */
@Command(
        name = "status",
        description = "Show how far everything has come: slot, position, what waits, what is dead.",
        mixinStandardHelpOptions = true,
        footer = {"", "Looks at PostgreSQL and Kafka from outside, and so works while the parts are down."})
final class StatusVerb implements Callable<Integer> {

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        String file = config.file().toString();
        TailraceConfig read = config.read();
        Status.Report seen = new Status(read, Clock.systemUTC())
                .look(Server.POSTGRES.problem(read, file), Server.KAFKA.problem(read, file));
        if (output.isJson()) {
            output.json(json(seen));
        } else {
            output.one(row(seen));
            seen.problems().forEach(problem -> output.err().println(problem));
        }
        return seen.problems().isEmpty() ? Exit.DONE : Exit.FAILED;
    }

    private static Row row(Status.Report seen) {
        Row row = new Row()
                .with(
                        "slot",
                        seen.slot()
                                .map(slot -> "%s, %s, WAL %s, %,d bytes not confirmed"
                                        .formatted(
                                                slot.name(),
                                                slot.active() ? "active" : "NOT ACTIVE",
                                                slot.walStatus(),
                                                slot.lagBytes()))
                                .orElse(absent(seen, Status.SLOT)))
                .with(
                        "position",
                        seen.position()
                                .map(position -> "written %,d ms ago".formatted(position.ageMs()))
                                .orElse(absent(seen, Status.POSITION)));
        for (String what : List.of(Status.COMMANDS, Status.LAGS, Status.DEAD_LETTERS)) {
            if (seen.unknown().containsKey(what)) {
                row.with(what, absent(seen, what));
            }
        }
        seen.lags().forEach(lag -> row.with(lag.reader() + " " + lag.topic(), behind(lag.mostRecords())));
        if (!seen.commands().isEmpty()) {
            row.with(
                    "commands",
                    seen.commands().entrySet().stream()
                                    .map(count -> count.getValue() + " "
                                            + count.getKey().text())
                                    .collect(Collectors.joining(", "))
                            + "; " + seen.dueCommands() + " of the pending are due");
        }
        seen.deadLetters()
                .forEach((x, reasons) -> row.with(
                        "dead " + x,
                        reasons.isEmpty()
                                ? "0"
                                : reasons.entrySet().stream()
                                        .map(reason -> reason.getValue() + " " + reason.getKey())
                                        .collect(Collectors.joining(", "))));
        return row;
    }

    private static String absent(Status.Report seen, String what) {
        String unknown = seen.unknown().get(what);
        return unknown == null ? "none" : "unknown: " + unknown;
    }

    /** Only 0 is exact. */
    private static String behind(long mostRecords) {
        return mostRecords == 0 ? "0 behind" : "at most " + mostRecords + " behind";
    }

    private static Map<String, @Nullable Object> json(Status.Report seen) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(
                "slot",
                seen.slot()
                        .map(slot -> new Row()
                                .with("name", slot.name())
                                .with("active", slot.active())
                                .with("walStatus", slot.walStatus())
                                .with("confirmedLsn", slot.confirmedLsn())
                                .with("lagBytes", slot.lagBytes())
                                .cells())
                        .orElse(null));
        json.put(
                "position",
                seen.position()
                        .map(position -> new Row()
                                .with("ageMs", position.ageMs())
                                .with("record", position.json())
                                .cells())
                        .orElse(null));
        List<?> lags = seen.lags().stream()
                .map(lag -> new Row()
                        .with("reader", lag.reader())
                        .with("topic", lag.topic())
                        .with("mostRecords", lag.mostRecords())
                        .cells())
                .toList();
        json.put("lags", lags);
        Map<String, Object> commands = new LinkedHashMap<>();
        seen.commands().forEach((status, count) -> commands.put(status.text(), count));
        commands.put("due", seen.dueCommands());
        json.put("commands", commands);
        json.put("deadLetters", seen.deadLetters());
        json.put("unknown", seen.unknown());
        json.put("problems", seen.problems());
        return json;
    }
}
