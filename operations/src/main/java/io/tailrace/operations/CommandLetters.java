package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The way back of dead letters whose row is a command: the row decides, whatever the letter says. A dry run and a replay look at the rows
 * in the same way; a replay then lets {@code requeue_command} decide, which takes the row.
 */
final class CommandLetters {

    private final CommandRows rows;
    private final Commands commands;

    CommandLetters(SourceConfig source) {
        this.rows = new CommandRows(source);
        this.commands = new Commands(source);
    }

    Report dryRun(List<DeadLetter> letters, Order order) {
        Map<String, Standing> standings = rows.standings(letters);
        return new Report(
                order,
                letters.stream()
                        .map(letter -> judged(letter, standing(standings, letter)))
                        .toList(),
                0,
                Ending.COMPLETE);
    }

    Report replay(List<DeadLetter> letters, Order order) {
        List<Row> done = new ArrayList<>();
        for (DeadLetter letter : letters) {
            Outcome outcome = CommandRows.uuid(letter.rowId())
                    .map(id -> outcome(commands.requeue(id)))
                    .orElse(Outcome.NOT_FOUND);
            done.add(new Row(letter, outcome));
        }
        return new Report(order, done, 0, Ending.COMPLETE);
    }

    private static Row judged(DeadLetter letter, Standing standing) {
        return switch (standing) {
            case GONE -> new Row(letter, Outcome.NOT_FOUND);
            case PENDING, COMPLETED, CANCELLED -> new Row(letter, Outcome.NOT_DEAD);
            case DEAD -> new Row(letter, Outcome.WOULD_REPLAY);
            case DEAD_AND_TAKEN -> new Row(letter, Outcome.RUNNING);
            case DEAD_AND_FOLLOWED -> new Row(letter, Outcome.DUPLICATE);
        };
    }

    private static Standing standing(Map<String, Standing> standings, DeadLetter letter) {
        return standings.getOrDefault(letter.rowId(), Standing.GONE);
    }

    private static Outcome outcome(Commands.Answer answer) {
        return switch (answer) {
            case OK -> Outcome.REPLAYED;
            case RUNNING -> Outcome.RUNNING;
            case NOT_FOUND -> Outcome.NOT_FOUND;
            case NOT_DEAD, NOT_PENDING -> Outcome.NOT_DEAD;
            case DUPLICATE -> Outcome.DUPLICATE;
        };
    }
}
