package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.LetterTransactions.Step;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Takes letters away for good: an operator says so of a row, or the end of their time has come. The one lets a key go on that stops at the
 * row; the other never does, and passes over such a row.
 */
final class Discards {

    private static final int BATCH_ROWS = DeadLetters.BATCH_ROWS;

    private static final String DISCARDED = "discarded";

    private static final String EXPIRED = "expired";

    private final TailraceConfig config;
    private final LetterTransactions transactions;
    private final LettersBySource commands;
    private final DeliveryRows deliveries;
    private final BiFunction<String, Selection, List<DeadLetter>> live;

    /** @param live reads the letters of an {@code x} that are selected */
    Discards(
            TailraceConfig config,
            LetterTransactions transactions,
            LettersBySource commands,
            DeliveryRows deliveries,
            BiFunction<String, Selection, List<DeadLetter>> live) {
        this.config = config;
        this.transactions = transactions;
        this.commands = commands;
        this.deliveries = deliveries;
        this.live = live;
    }

    Report discard(String x, Selection selection, Order order) {
        List<DeadLetter> letters = live.apply(x, selection);
        if (letters.isEmpty()) {
            return nothing(order);
        }
        if (x.equals(Topics.COMMANDS)) {
            return commands.discard(letters, order, BATCH_ROWS);
        }
        if (order.dryRun()) {
            return new Report(order, discardable(letters), 0, Ending.COMPLETE);
        }
        ReplayRecords records = new ReplayRecords(config, order);
        Report report = transactions.run(
                x, order, BATCH_ROWS, () -> live.apply(x, selection), batch -> steps(x, batch, records));
        return withRows(x, report);
    }

    private List<Step> steps(String x, List<DeadLetter> batch, ReplayRecords records) {
        Set<String> foreign = foreign(x, batch);
        if (!x.equals(Topics.EVENTS)) {
            deliveries.goOn(x, batch.stream().filter(letter -> !foreign.contains(letter.rowId())));
        }
        return batch.stream()
                .map(letter -> foreign.contains(letter.rowId())
                        ? new Step(LettersBySource.foreign(letter), List.of())
                        : new Step(new Row(letter, Outcome.CLEARED, DISCARDED), records.discard(letter, DISCARDED)))
                .toList();
    }

    private Set<String> foreign(String x, List<DeadLetter> letters) {
        return x.equals(Topics.EVENTS)
                ? Set.of()
                : new HaltingRows(config).look(x, letters).foreign();
    }

    /** A letter goes wherever its row stands; whether the key goes on is told as far as it could be seen. */
    private List<Row> discardable(List<DeadLetter> letters) {
        HaltedKeys.Seen seen = new HaltedKeys(config).judge(letters);
        return letters.stream()
                .map(letter -> seen.foreign().contains(letter.rowId())
                        ? LettersBySource.foreign(letter)
                        : new Row(
                                letter,
                                Outcome.WOULD_CLEAR,
                                seen.halts()
                                        .at(letter)
                                        .map(halt -> halt.isHead()
                                                ? "%s, %d newer rows go on".formatted(DISCARDED, halt.waiting())
                                                : DISCARDED + ", another row of its key stands before it")
                                        .orElse(DISCARDED)))
                .toList();
    }

    /**
     * Those of old letters at which no key stops.
     *
     * @param old reads them: those of the given rows, or all if there are none
     */
    Report expire(String x, Function<Set<String>, List<DeadLetter>> old, Order order) {
        List<DeadLetter> letters = passable(old.apply(Set.of()));
        if (letters.isEmpty()) {
            // So that nobody's replay is ended for nothing.
            return nothing(order);
        }
        if (x.equals(Topics.COMMANDS)) {
            return commands.expire(letters, order, BATCH_ROWS);
        }
        Set<String> rowIds = letters.stream().map(DeadLetter::rowId).collect(Collectors.toSet());
        ReplayRecords records = new ReplayRecords(config, order);
        Supplier<List<DeadLetter>> again = () -> passable(old.apply(rowIds));
        Report report = transactions.run(x, order, BATCH_ROWS, again, batch -> {
            if (!x.equals(Topics.EVENTS)) {
                // None has the mark, by the look a moment ago. One that had it all the same could be named by nobody
                // once
                // its letter is gone.
                deliveries.goOn(x, batch.stream());
            }
            return batch.stream()
                    .map(letter -> new Step(new Row(letter, Outcome.CLEARED, EXPIRED), records.clear(letter, EXPIRED)))
                    .toList();
        });
        return withRows(x, report);
    }

    /** Of which it is known that no key stops at them, and whose rows are ours. */
    private List<DeadLetter> passable(List<DeadLetter> old) {
        HaltedKeys.Seen seen = new HaltedKeys(config).judge(old);
        return old.stream()
                .filter(letter -> !seen.foreign().contains(letter.rowId())
                        && seen.halts().at(letter).isEmpty()
                        && (seen.halts().isComplete() || letter.orderingKey().isEmpty()))
                .toList();
    }

    /** An event has no row of its own that could be given up; what a subscription has of one is its delivery. */
    private Report withRows(String x, Report report) {
        return x.equals(Topics.EVENTS) ? report : deliveries.giveUp(x, report);
    }

    private static Report nothing(Order order) {
        return new Report(order, List.of(), 0, Ending.COMPLETE);
    }
}
