package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Inbox rows of dead letters that were taken away: DEAD becomes CANCELLED. After the tombstone, other than with a command: as long as there
 * is a letter another operator may replay it, and a replay of a cancelled row would be passed over in silence. A row that is left dead
 * without a letter does no harm, since nobody but a replay can bring it back.
 */
final class DeliveryRows {

    private static final int STEP = 1_000;

    private static final String GIVE_UP = """
            UPDATE %s SET status = 'CANCELLED', completed_at = clock_timestamp(), hold = NULL
            WHERE subscription = ? AND event_id = ANY (?) AND status = 'DEAD'""";

    /** By {@code ce_source}. */
    private final Map<String, TailraceConfig> sources = new LinkedHashMap<>();

    DeliveryRows(TailraceConfig config) {
        for (TailraceConfig one : config.eachSource()) {
            sources.put(one.ceSource(), one);
        }
    }

    /** Gives up the rows of those letters that are gone; what was done is told, also when a database cannot be reached for this. */
    Report giveUp(String subscription, Report report) {
        Map<String, List<UUID>> gone = report.rows().stream()
                .filter(row -> row.outcome() == Outcome.CLEARED)
                .map(Row::letter)
                .filter(letter -> CommandRows.uuid(letter.rowId()).isPresent())
                .collect(Collectors.groupingBy(
                        DeadLetter::source,
                        LinkedHashMap::new,
                        Collectors.mapping(
                                letter -> CommandRows.uuid(letter.rowId()).orElseThrow(), Collectors.toList())));
        try {
            gone.forEach((source, ids) -> giveUp(subscription, source, ids));
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

    private void giveUp(String subscription, String source, List<UUID> ids) {
        TailraceConfig config = sources.get(source);
        if (config == null) {
            return; // Of a database that is none of the configuration's: its rows are not ours.
        }
        String sql = GIVE_UP.formatted(config.source().tables().qualified("delivery"));
        new Database(config.source()).call("giving up deliveries", connection -> {
            for (int from = 0; from < ids.size(); from += STEP) {
                giveUp(connection, sql, subscription, ids.subList(from, Math.min(ids.size(), from + STEP)));
            }
            return ids.size();
        });
    }

    /** Index: primary key. Lock: the rows. */
    private static void giveUp(Connection connection, String sql, String subscription, List<UUID> ids)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, subscription);
            statement.setArray(2, connection.createArrayOf("uuid", new ArrayList<>(ids).toArray()));
            statement.executeUpdate();
        }
    }
}
