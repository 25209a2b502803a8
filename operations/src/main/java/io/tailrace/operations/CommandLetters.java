package io.tailrace.operations;

import static java.util.stream.Collectors.toSet;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.LetterTransactions.Step;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Newer;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import io.tailrace.operations.sweep.DeadRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.common.KafkaException;

/**
 * The way back of dead letters whose row is a command: the row decides, whatever the letter says. A dry run and a replay look at the rows
 * in the same way; a replay then lets {@code requeue_command} decide, which takes the row.
 *
 * <p>Of a row that is gone, completed or cancelled nothing can run any more, and so nobody would ever write the tombstone of its letter: it
 * is written here, by the producer that replays of events use. Never that of a pending row: it may die again, and the tombstone would take
 * the new letter away.
 */
final class CommandLetters {

    private final CommandRows rows;
    private final Commands commands;
    private final TailraceConfig config;
    private final String source;
    private final LetterTransactions transactions;
    private final Function<Set<String>, List<DeadLetter>> live;

    /** @param live reads the letters of these rows */
    CommandLetters(
            TailraceConfig config, LetterTransactions transactions, Function<Set<String>, List<DeadLetter>> live) {
        this.rows = new CommandRows(config.source());
        this.commands = new Commands(config.source());
        this.config = config;
        this.source = config.ceSource();
        this.transactions = transactions;
        this.live = live;
    }

    Report dryRun(List<DeadLetter> letters, Order order) {
        return new Report(order, counted(judged(letters), order), 0, Ending.COMPLETE);
    }

    Report replay(List<DeadLetter> letters, Order order, int batchRows) {
        Map<String, Row> outcomes = new LinkedHashMap<>();
        try (OperationNotes notes = new OperationNotes(config)) {
            ReplayRecords records = new ReplayRecords(config, order);
            for (List<DeadLetter> batch : LetterTransactions.batches(letters, batchRows)) {
                List<Row> judged = counted(judged(batch), order);
                // Before it is done: a requeue that nobody asked for is worse than one that was asked for and did not
                // come.
                notes.write(judged.stream()
                        .filter(CommandLetters::mayBeRequeued)
                        .map(row -> records.requeue(row.letter()))
                        .toList());
                judged.forEach(row -> outcomes.put(row.letter().rowId(), requeued(row)));
            }
            return cleared(outcomes, order, batchRows);
        } catch (KafkaException | OperationFailed failed) {
            List<Row> done = settled(outcomes);
            return Report.failed(order, done, letters.size() - done.size(), failed);
        }
    }

    /** What nothing is left to run of is cleared. */
    private Report cleared(Map<String, Row> outcomes, Order order, int batchRows) {
        Set<String> toClear = outcomes.values().stream()
                .filter(row -> row.outcome() == Outcome.WOULD_CLEAR)
                .map(row -> row.letter().rowId())
                .collect(toSet());
        if (toClear.isEmpty()) {
            return new Report(order, List.copyOf(outcomes.values()), 0, Ending.COMPLETE);
        }
        Report cleared = clear(toClear, order, batchRows);
        cleared.rows().forEach(row -> outcomes.put(row.letter().rowId(), row));
        if (cleared.ending() == Ending.COMPLETE) {
            // Another operator took the rest away before it was read again.
            outcomes.replaceAll((id, row) -> row.outcome() == Outcome.WOULD_CLEAR ? cleared(row) : row);
        }
        List<Row> done = settled(outcomes);
        return new Report(order, done, outcomes.size() - done.size(), cleared.ending(), cleared.because());
    }

    private static List<Row> settled(Map<String, Row> outcomes) {
        return outcomes.values().stream()
                .filter(row -> row.outcome() != Outcome.WOULD_CLEAR)
                .toList();
    }

    /** Like a replay that requeues nothing: what is dead is given up, and then nothing of it can run any more. */
    Report discard(Set<String> rowIds, Order order, int batchRows) {
        return discard(rowIds, order, batchRows, commands::giveUp);
    }

    /** The same at the end of their time, which lets no key go on: a row at which one stops keeps its letter. */
    Report expire(Set<String> rowIds, Order order, int batchRows) {
        return discard(rowIds, order, batchRows, commands::giveUpForItsAge);
    }

    private Report discard(Set<String> rowIds, Order order, int batchRows, Function<UUID, DeadRows.Outcome> cancelled) {
        if (order.dryRun()) {
            List<Row> rows = judged(live.apply(rowIds)).stream()
                    .map(CommandLetters::toGiveUp)
                    .toList();
            return new Report(order, rows, 0, Ending.COMPLETE);
        }
        ReplayRecords records = new ReplayRecords(config, order);
        return transactions.run(
                Topics.COMMANDS,
                order,
                batchRows,
                () -> live.apply(rowIds),
                batch -> judged(batch).stream()
                        .map(row -> givenUp(row, cancelled))
                        .map(row -> row.outcome() == Outcome.RUNNING ? new Step(row, List.of()) : step(row, records))
                        .toList());
    }

    private static Row toGiveUp(Row judged) {
        if (judged.letter().isOrder()) {
            return clearable(judged.letter(), "word about a row, not a row");
        }
        return isDead(judged) && judged.outcome() != Outcome.RUNNING
                ? clearable(judged.letter(), "row dead, it is cancelled first")
                : judged;
    }

    private static boolean isDead(Row judged) {
        return !judged.letter().isOrder() && (mayBeRequeued(judged) || judged.outcome() == Outcome.MALFORMED);
    }

    /** The row first: a letter of a cancelled row is cleared by whoever comes next, a dead row without a letter by nobody. */
    private Row givenUp(Row judged, Function<UUID, DeadRows.Outcome> cancelled) {
        Optional<UUID> id = CommandRows.uuid(judged.letter().rowId());
        if (id.isEmpty() || !isDead(judged)) {
            return toGiveUp(judged);
        }
        return switch (cancelled.apply(id.get())) {
            case CANCELLED -> clearable(judged.letter(), "row dead, cancelled");
            case TAKEN -> new Row(judged.letter(), Outcome.RUNNING);
            // Somebody else was here since the look.
            case NOT_FOUND, NOT_DEAD -> judged(List.of(judged.letter())).get(0);
        };
    }

    /** Their table lets the keys go on, and tells the router. */
    Report skip(List<DeadLetter> letters, Order order) {
        List<Row> done = new ArrayList<>();
        try (OperationNotes notes = new OperationNotes(config)) {
            ReplayRecords records = new ReplayRecords(config, order);
            // Before it is done, as with a requeue.
            notes.write(letters.stream().map(records::skipNote).toList());
            letters.forEach(letter -> done.add(skipped(letter)));
            return new Report(order, done, 0, Ending.COMPLETE);
        } catch (KafkaException | OperationFailed failed) {
            return Report.failed(order, done, letters.size() - done.size(), failed);
        }
    }

    private Row skipped(DeadLetter letter) {
        Optional<UUID> id = CommandRows.uuid(letter.rowId());
        if (id.isEmpty()) {
            return new Row(letter, Outcome.NOT_FOUND);
        }
        return switch (commands.skip(id.get())) {
            case OK -> new Row(letter, Outcome.SKIPPED);
            case RUNNING -> new Row(letter, Outcome.RUNNING);
            case NOT_FOUND -> new Row(letter, Outcome.NOT_FOUND);
            case NOT_DEAD, NOT_PENDING, DUPLICATE -> new Row(letter, Outcome.NOT_DEAD);
            case NOT_HALTED -> new Row(letter, Outcome.NOT_HALTED, "its row has no key");
            case NOT_HEAD -> new Row(letter, Outcome.NOT_HALTED, "another row of its key stands before it");
        };
    }

    /** With how many newer rows of its key were done meanwhile; a strict replay leaves a row alone that would come too late. */
    private List<Row> counted(List<Row> judged, Order order) {
        Map<String, Newer> newer = rows.newer(judged.stream()
                .filter(CommandLetters::mayBeRequeued)
                .map(Row::letter)
                .toList());
        return judged.stream()
                .map(row -> mayBeRequeued(row)
                        ? row.judgedBy(newer.getOrDefault(row.letter().rowId(), Newer.NONE), order)
                        : row)
                .toList();
    }

    private Row requeued(Row judged) {
        Optional<UUID> id = CommandRows.uuid(judged.letter().rowId());
        if (id.isEmpty() || !mayBeRequeued(judged)) {
            return judged;
        }
        return outcome(commands.requeue(id.get()))
                .map(outcome -> new Row(judged.letter(), outcome, "", judged.newer()))
                // Somebody else was here since the look.
                .orElseGet(() -> settled(judged(List.of(judged.letter())).get(0)));
    }

    private static boolean mayBeRequeued(Row judged) {
        return switch (judged.outcome()) {
            case WOULD_REPLAY, RUNNING, DUPLICATE -> true;
            default -> false;
        };
    }

    /** What was judged to be requeued after the time for that has passed: the next run does it. */
    private static Row settled(Row judged) {
        return mayBeRequeued(judged) ? new Row(judged.letter(), Outcome.NOT_DEAD) : judged;
    }

    private Report clear(Set<String> rowIds, Order order, int batchRows) {
        ReplayRecords records = new ReplayRecords(config, order);
        return transactions.run(
                Topics.COMMANDS,
                order,
                batchRows,
                () -> live.apply(rowIds),
                // Looked at again: what was true before the others were fenced need not be true now.
                batch -> judged(batch).stream().map(row -> step(row, records)).toList());
    }

    private static Step step(Row judged, ReplayRecords records) {
        return judged.outcome() == Outcome.WOULD_CLEAR
                ? new Step(cleared(judged), records.clear(judged.letter(), judged.because()))
                : new Step(settled(judged), List.of());
    }

    private static Row cleared(Row judged) {
        return new Row(judged.letter(), Outcome.CLEARED, judged.because());
    }

    private List<Row> judged(List<DeadLetter> letters) {
        Map<String, Standing> standings = rows.standings(letters);
        return letters.stream()
                .map(letter -> judged(letter, standings.getOrDefault(letter.rowId(), Standing.GONE)))
                .toList();
    }

    private Row judged(DeadLetter letter, Standing standing) {
        if (letter.isOrder()) {
            return Row.malformed(letter);
        }
        return switch (standing) {
            // That a row is not here says nothing when it was never here.
            case GONE ->
                letter.source().equals(source) ? clearable(letter, "row gone") : new Row(letter, Outcome.NOT_FOUND);
            case COMPLETED -> clearable(letter, "row completed");
            case CANCELLED -> clearable(letter, "row cancelled");
            case PENDING -> new Row(letter, Outcome.ALREADY_REQUEUED);
            case DEAD -> requeuable(letter, Outcome.WOULD_REPLAY);
            case DEAD_AND_TAKEN -> requeuable(letter, Outcome.RUNNING);
            case DEAD_AND_FOLLOWED -> requeuable(letter, Outcome.DUPLICATE);
        };
    }

    private static Row requeuable(DeadLetter letter, Outcome outcome) {
        return letter.isMalformedRow() ? Row.malformed(letter) : new Row(letter, outcome);
    }

    private static Row clearable(DeadLetter letter, String because) {
        return new Row(letter, Outcome.WOULD_CLEAR, because);
    }

    /** Empty when the row is not what it was when it was looked at: gone, or not dead any more. */
    private static Optional<Outcome> outcome(Commands.Answer answer) {
        return switch (answer) {
            case OK -> Optional.of(Outcome.REPLAYED);
            case RUNNING -> Optional.of(Outcome.RUNNING);
            case DUPLICATE -> Optional.of(Outcome.DUPLICATE);
            case NOT_FOUND, NOT_DEAD, NOT_PENDING, NOT_HALTED, NOT_HEAD -> Optional.empty();
        };
    }
}
