package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Inbox rows of dead letters that were taken away: DEAD becomes CANCELLED. After the tombstone, other than with a command: as long as there
 * is a letter another operator may replay it, and a replay of a cancelled row would be passed over in silence. A row that is left dead
 * without a letter does no harm, since nobody but a replay can bring it back.
 *
 * <p>Only its key must not stop at it any more by then: nobody could name it. So that goes before the letter does, and before the router
 * hears that the key goes on; what it releases would come back otherwise.
 */
final class DeliveryRows {

    private static final int STEP = 1_000;

    private static final String GIVE_UP = """
            UPDATE %s SET status = 'CANCELLED', completed_at = clock_timestamp(), hold = NULL, halts = false
            WHERE subscription = ? AND event_id = ANY (?) AND status = 'DEAD'""";

    private static final String GO_ON = """
            UPDATE %s SET halts = false WHERE subscription = ? AND event_id = ANY (?) AND status = 'DEAD' AND halts""";

    private final LetterSources sources;

    DeliveryRows(TailraceConfig config) {
        this.sources = new LetterSources(config);
    }

    /** Gives up the rows of those letters that are gone; what was done is told, also when a database cannot be reached for this. */
    Report giveUp(String subscription, Report report) {
        try {
            change(
                    "giving up deliveries",
                    GIVE_UP,
                    subscription,
                    report.rows().stream()
                            .filter(row -> row.outcome() == Outcome.CLEARED)
                            .map(Row::letter));
            return report;
        } catch (OperationFailed failed) {
            return new Report(
                    report.order(),
                    report.rows(),
                    report.remaining(),
                    Replay.Ending.FAILED,
                    "the letters are gone, their rows stay DEAD: " + failed.getMessage());
        }
    }

    /**
     * Keys do not stop at the rows of these letters any more. Crash points: before the router has heard of it, its lanes hold what has come
     * behind the row; whoever does the same again tells it.
     *
     * @throws OperationFailed when a database cannot be reached
     */
    void goOn(String subscription, Stream<DeadLetter> letters) {
        change("letting keys go on", GO_ON, subscription, letters);
    }

    /** Whoever has no row in these databases was left out before: see {@link HaltingRows.Seen#foreign}. */
    private void change(String what, String sql, String subscription, Stream<DeadLetter> letters) {
        sources.each(letters.toList(), (source, ids) -> {
            String change = sql.formatted(source.tables().qualified("delivery"));
            new Database(source).call(what, connection -> {
                for (int from = 0; from < ids.size(); from += STEP) {
                    change(connection, change, subscription, ids.subList(from, Math.min(ids.size(), from + STEP)));
                }
                return ids.size();
            });
        });
    }

    /** Index: primary key. Lock: the rows. */
    private static void change(Connection connection, String sql, String subscription, List<UUID> ids)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, subscription);
            statement.setArray(2, connection.createArrayOf("uuid", new ArrayList<>(ids).toArray()));
            statement.executeUpdate();
        }
    }
}
