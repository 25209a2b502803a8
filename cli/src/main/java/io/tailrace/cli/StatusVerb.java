package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.EngineOperations;
import io.tailrace.operations.Status;
import java.sql.SQLException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code status}: how far everything has come, seen from outside. */
@Command(
        name = "status",
        description = "Show how far everything has come: slot and position of each source, what waits, what is dead.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Looks at PostgreSQL and Kafka from outside, and so works while the parts are down. Ends with 1 when something cannot be",
            "seen, or when an engine would be refused."
        })
final class StatusVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        String file = config.file().toString();
        TailraceConfig read = config.read();
        boolean several = config.hasSeveral();
        Status.Report seen = new Status(read, Clock.systemUTC())
                .look(one -> Server.POSTGRES.problem(one, several, file), Server.KAFKA.problem(read, several, file));
        Map<String, Engine> engines = engines(read, seen);
        boolean refused =
                engines.values().stream().anyMatch(engine -> !engine.refusals().isEmpty());
        if (output.isJson()) {
            output.json(json(seen, engines));
        } else {
            output.one(row(seen, engines));
            engines.forEach((name, engine) -> engine.refusals()
                    .forEach(refusal ->
                            output.err().println("The engine of source %s is refused: %s".formatted(name, refusal))));
            seen.problems().forEach(problem -> output.err().println(problem));
        }
        return seen.problems().isEmpty() && !refused ? Exit.DONE : Exit.FAILED;
    }

    /**
     * Whether an engine would start.
     *
     * @param unknown why that could not be looked at; empty when it could
     */
    private record Engine(List<String> refusals, String unknown) {

        String words() {
            if (!refusals.isEmpty()) {
                return "REFUSED, see below";
            }
            return unknown.isEmpty() ? "not refused" : "unknown: " + unknown;
        }
    }

    /** By the name of the source. */
    private static Map<String, Engine> engines(TailraceConfig config, Status.Report seen) {
        Map<String, Engine> engines = new LinkedHashMap<>();
        for (TailraceConfig one : config.eachSource()) {
            String name = one.source().name();
            boolean answered = seen.sources().stream()
                    .filter(source -> source.name().equals(name))
                    .noneMatch(source -> source.unknown().containsKey(Status.SLOT)
                            || source.unknown().containsKey(Status.POSITION));
            engines.put(
                    name, answered ? engine(one) : new Engine(List.of(), "slot or position could not be looked at"));
        }
        return engines;
    }

    private static Engine engine(TailraceConfig config) {
        try {
            return new Engine(new EngineOperations(config).refusals(), "");
        } catch (SQLException | KafkaException | StartRefused notSeen) {
            // An operator's role may have no right to open a replication connection.
            return new Engine(List.of(), String.valueOf(notSeen.getMessage()));
        }
    }

    private static Row row(Status.Report seen, Map<String, Engine> engines) {
        Row row = new Row();
        boolean several = seen.sources().size() > 1;
        seen.sources().forEach(source -> {
            String prefix = several ? source.name() + " " : "";
            ofSource(row, prefix, source);
            row.with(
                    prefix + "engine",
                    Objects.requireNonNull(engines.get(source.name())).words());
        });
        for (String what : List.of(Status.LAGS, Status.DEAD_LETTERS)) {
            if (seen.unknown().containsKey(what)) {
                row.with(what, absent(seen.unknown(), what));
            }
        }
        seen.lags().forEach(lag -> row.with(lag.reader() + " " + lag.topic(), behind(lag.mostRecords())));
        seen.deadLetters()
                .forEach((x, reasons) -> row.with(
                        "dead " + x,
                        reasons.isEmpty()
                                ? "0"
                                : reasons.entrySet().stream()
                                        .map(reason -> reason.getValue() + " " + reason.getKey())
                                        .collect(Collectors.joining(", "))));
        row.with("halted keys", halted(seen));
        return row;
    }

    private static String halted(Status.Report seen) {
        String unknown = seen.unknown().get(Status.HALTED_KEYS);
        if (unknown != null) {
            return "unknown: " + unknown;
        }
        return seen.haltedKeys() == 0 ? "0" : seen.haltedKeys() + ", see dlq list";
    }

    /** @param prefix of the columns, when there are several sources */
    private static void ofSource(Row row, String prefix, Status.OfSource seen) {
        row.with(
                prefix + "slot",
                seen.slot()
                        .map(slot -> "%s, %s, WAL %s, %,d bytes not confirmed, %,d kept%s"
                                .formatted(
                                        slot.name(),
                                        slot.active() ? "active" : "NOT ACTIVE",
                                        slot.walStatus(),
                                        slot.lagBytes(),
                                        slot.retainedBytes(),
                                        slot.safeBytes()
                                                .map(", %,d left before it is in danger"::formatted)
                                                .orElse("")))
                        .orElse(absent(seen.unknown(), Status.SLOT)));
        row.with(
                prefix + "position",
                seen.position()
                        .map(position -> "written %,d ms ago%s"
                                .formatted(
                                        position.ageMs(),
                                        seen.positionLagBytes()
                                                .map(", %,d bytes of log behind"::formatted)
                                                .orElse("")))
                        .orElse(absent(seen.unknown(), Status.POSITION)));
        if (seen.unknown().containsKey(Status.COMMANDS)) {
            row.with(prefix + "commands", absent(seen.unknown(), Status.COMMANDS));
        } else if (!seen.commands().isEmpty()) {
            row.with(
                    prefix + "commands",
                    seen.commands().entrySet().stream()
                                    .map(count -> count.getValue() + " "
                                            + count.getKey().text())
                                    .collect(Collectors.joining(", "))
                            + "; " + seen.dueCommands() + " of the pending are due");
        }
    }

    private static String absent(Map<String, String> unknown, String what) {
        String why = unknown.get(what);
        return why == null ? "none" : "unknown: " + why;
    }

    /** Only 0 is exact. */
    private static String behind(long mostRecords) {
        return mostRecords == 0 ? "0 behind" : "at most " + mostRecords + " behind";
    }

    /** What there is once is at the top; so is all of the one source, because most have no more than that. */
    private static Map<String, @Nullable Object> json(Status.Report seen, Map<String, Engine> engines) {
        Map<String, String> unknown = new TreeMap<>(seen.unknown());
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        if (seen.sources().size() == 1) {
            Status.OfSource source = seen.sources().get(0);
            json.putAll(json(source, Objects.requireNonNull(engines.get(source.name()))));
            unknown.putAll(source.unknown());
        }
        List<?> sources = seen.sources().stream()
                .map(source -> {
                    Map<String, @Nullable Object> one = new LinkedHashMap<>();
                    one.put("name", source.name());
                    one.putAll(json(source, Objects.requireNonNull(engines.get(source.name()))));
                    one.put("unknown", source.unknown());
                    return one;
                })
                .toList();
        json.put("sources", sources);
        List<?> lags = seen.lags().stream()
                .map(lag -> new Row()
                        .with("reader", lag.reader())
                        .with("topic", lag.topic())
                        .with("mostRecords", lag.mostRecords())
                        .cells())
                .toList();
        json.put("lags", lags);
        json.put("deadLetters", seen.deadLetters());
        json.put("haltedKeys", seen.haltedKeys());
        json.put("unknown", unknown);
        json.put("problems", seen.problems());
        return json;
    }

    private static Map<String, @Nullable Object> json(Status.OfSource seen, Engine engine) {
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
                                .with("retainedBytes", slot.retainedBytes())
                                .with("safeBytes", slot.safeBytes())
                                .with("failover", slot.failover())
                                .cells())
                        .orElse(null));
        json.put(
                "position",
                seen.position()
                        .map(position -> new Row()
                                .with("ageMs", position.ageMs())
                                .with("lagBytes", seen.positionLagBytes())
                                .with("record", position.json())
                                .cells())
                        .orElse(null));
        Map<String, Object> commands = new LinkedHashMap<>();
        seen.commands().forEach((status, count) -> commands.put(status.text(), count));
        commands.put("due", seen.dueCommands());
        json.put("commands", commands);
        json.put(
                "engine",
                new Row()
                        .with("refusals", engine.refusals())
                        .with("unknown", engine.unknown())
                        .cells());
        return json;
    }
}
