package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.LetterTransactions.Step;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Lets keys go on behind the dead letters at which they stop. Who is told first is whoever guards the order: of a command its table, which
 * tells the router; of an event of a subscription its inbox row, and then the router; of an event of the router nobody else.
 */
final class Skips {

    private static final int BATCH_ROWS = 500;

    private final TailraceConfig config;
    private final LetterTransactions transactions;
    private final LettersBySource commands;
    private final DeliveryRows deliveries;
    private final BiFunction<String, Selection, List<DeadLetter>> live;

    /** @param live reads the letters of an {@code x} that are selected */
    Skips(
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

    Report skip(String x, Selection selection, Order order) {
        List<Row> rows = judged(live.apply(x, selection));
        if (order.dryRun() || rows.stream().noneMatch(Skips::isToBeSkipped)) {
            // Without any nobody's replay is ended for nothing.
            return new Report(order, rows, 0, Ending.COMPLETE);
        }
        if (x.equals(Topics.COMMANDS)) {
            return commands(rows, order);
        }
        ReplayRecords records = new ReplayRecords(config, order);
        return transactions.run(
                x, order, BATCH_ROWS, () -> live.apply(x, selection), batch -> steps(x, judged(batch), records));
    }

    /**
     * The inbox rows are committed here, before the transaction of the batch is. If that finds out that another operator took over, nobody is
     * told of a skip, and yet the keys go on by their tables: what the other one replays may then come behind a newer row. What the lanes hold goes
     * on when either of the two tells the router, or when a row of the key that fails or is missed makes it ask.
     */
    private List<Step> steps(String x, List<Row> judged, ReplayRecords records) {
        if (!x.equals(Topics.EVENTS)) {
            deliveries.goOn(x, judged.stream().filter(Skips::isToBeSkipped).map(Row::letter));
        }
        return judged.stream()
                .map(row -> isToBeSkipped(row)
                        ? new Step(new Row(row.letter(), Outcome.SKIPPED, row.because()), records.skip(row.letter()))
                        : new Step(row, List.of()))
                .toList();
    }

    /** Who was seen to be skipped; the tables know whether that is so still. */
    private Report commands(List<Row> judged, Order order) {
        Map<String, String> because = judged.stream()
                .filter(Skips::isToBeSkipped)
                .collect(Collectors.toMap(row -> row.letter().rowId(), Row::because));
        List<Row> rows = new ArrayList<>(
                judged.stream().filter(row -> !isToBeSkipped(row)).toList());
        Report done = commands.skip(
                judged.stream().filter(Skips::isToBeSkipped).map(Row::letter).toList(), order);
        done.rows().stream()
                .map(row -> row.outcome() == Outcome.SKIPPED
                        ? new Row(
                                row.letter(),
                                Outcome.SKIPPED,
                                because.getOrDefault(row.letter().rowId(), ""))
                        : row)
                .forEach(rows::add);
        return new Report(order, rows, done.remaining(), done.ending(), done.because());
    }

    private static boolean isToBeSkipped(Row judged) {
        return judged.outcome() == Outcome.WOULD_SKIP;
    }

    private List<Row> judged(List<DeadLetter> letters) {
        HaltedKeys.Seen seen = new HaltedKeys(config).judge(letters);
        return letters.stream()
                .map(letter -> seen.foreign().contains(letter.rowId())
                        ? LettersBySource.foreign(letter)
                        : judged(letter, seen.halts()))
                .toList();
    }

    private static Row judged(DeadLetter letter, Halts seen) {
        return seen.at(letter)
                .map(halt -> halt.isHead()
                        ? new Row(letter, Outcome.WOULD_SKIP, "%d newer rows go on".formatted(halt.waiting()))
                        : new Row(letter, Outcome.NOT_HALTED, "another row of its key stands before it"))
                .orElseGet(() -> new Row(
                        letter,
                        Outcome.NOT_HALTED,
                        seen.isComplete()
                                ? "its key does not stop here"
                                : "whether its key stops here could not be seen"));
    }
}
