package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;

/** Dead letters of commands, each judged by the database that its row came from. */
final class LettersBySource {

    /** By {@code ce_source}. */
    private final Map<String, CommandLetters> sources = new LinkedHashMap<>();

    /** @param live reads the letters of these rows */
    LettersBySource(
            TailraceConfig config, LetterTransactions transactions, Function<Set<String>, List<DeadLetter>> live) {
        for (TailraceConfig one : config.eachSource()) {
            sources.put(one.ceSource(), new CommandLetters(one, transactions, live));
        }
    }

    Report dryRun(List<DeadLetter> letters, Order order) {
        return each(letters, order, (source, own) -> source.dryRun(own, order));
    }

    Report replay(List<DeadLetter> letters, Order order, int batchRows) {
        return each(letters, order, (source, own) -> source.replay(own, order, batchRows));
    }

    Report discard(List<DeadLetter> letters, Order order, int batchRows) {
        return each(letters, order, (source, own) -> source.discard(ids(own), order, batchRows));
    }

    Report expire(List<DeadLetter> letters, Order order, int batchRows) {
        return each(letters, order, (source, own) -> source.expire(ids(own), order, batchRows));
    }

    private static Set<String> ids(List<DeadLetter> letters) {
        return letters.stream().map(DeadLetter::rowId).collect(Collectors.toSet());
    }

    Report skip(List<DeadLetter> letters, Order order) {
        return each(letters, order, (source, own) -> source.skip(own, order));
    }

    /** One source after the other; where another operator took over, or something failed, the rest is left. */
    private Report each(
            List<DeadLetter> letters, Order order, BiFunction<CommandLetters, List<DeadLetter>, Report> work) {
        if (sources.size() == 1) {
            // Whatever the letter says: a database may have been called otherwise once.
            return letters.isEmpty()
                    ? nothing(order)
                    : work.apply(sources.values().iterator().next(), letters);
        }
        Map<String, List<DeadLetter>> bySource = letters.stream()
                .collect(Collectors.groupingBy(DeadLetter::source, LinkedHashMap::new, Collectors.toList()));
        List<Row> rows = new ArrayList<>();
        int remaining = 0;
        Ending ending = Ending.COMPLETE;
        String because = "";
        for (Map.Entry<String, List<DeadLetter>> group : bySource.entrySet()) {
            if (ending != Ending.COMPLETE) {
                remaining += group.getValue().size();
                continue;
            }
            CommandLetters source = sources.get(group.getKey());
            if (source == null) {
                group.getValue().forEach(letter -> rows.add(foreign(letter)));
                continue;
            }
            Report report = report(source, group.getValue(), order, work, rows);
            rows.addAll(report.rows());
            remaining += report.remaining();
            ending = report.ending();
            because = report.because();
        }
        return new Report(order, rows, remaining, ending, because);
    }

    /** @param before what other sources came to: a failure does not hide it */
    private static Report report(
            CommandLetters source,
            List<DeadLetter> letters,
            Order order,
            BiFunction<CommandLetters, List<DeadLetter>, Report> work,
            List<Row> before) {
        try {
            return work.apply(source, letters);
        } catch (KafkaException | OperationFailed failed) {
            Report whole = Report.failed(order, before, letters.size(), failed);
            return new Report(order, List.of(), whole.remaining(), whole.ending(), whole.because());
        }
    }

    private static Report nothing(Order order) {
        return new Report(order, List.of(), 0, Ending.COMPLETE);
    }

    static Row foreign(DeadLetter letter) {
        return new Row(
                letter, Outcome.NOT_FOUND, "source %s is not one of the configuration's".formatted(letter.source()));
    }
}
