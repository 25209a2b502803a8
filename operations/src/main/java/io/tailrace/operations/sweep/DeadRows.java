package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Dead commands that are given up: DEAD becomes CANCELLED, and nothing can requeue them any more. A row that somebody has locked, to
 * requeue it, is left alone. On a connection that commits by itself.
 */
public final class DeadRows {

    private static final String ONE = """
            WITH taken AS MATERIALIZED (SELECT c.id FROM %1$s c WHERE c.id = ? FOR UPDATE SKIP LOCKED),
            given AS (
                UPDATE %1$s c SET status = 'CANCELLED', completed_at = clock_timestamp(), hold = NULL, halts = false
                FROM taken WHERE c.id = taken.id AND c.status = 'DEAD' AND (? OR NOT c.halts) RETURNING c AS command)
            SELECT CASE WHEN (g.command).ordering_key IS NOT NULL THEN %2$s('cancel', g.command) END FROM given g""";

    private static final String WHY = "SELECT c.status FROM %1$s c WHERE c.id = ?";

    private static final String OLD = """
            UPDATE ONLY %1$s d SET status = 'CANCELLED', completed_at = clock_timestamp(), hold = NULL
            WHERE d.status = 'DEAD' AND NOT d.halts AND d.ctid = ANY (ARRAY(
                SELECT c.ctid FROM ONLY %1$s c WHERE c.ctid > ?::tid AND c.ctid < ?::tid
                    AND c.status = 'DEAD' AND NOT c.halts AND c.failed_at < clock_timestamp() - ? * interval '1 millisecond'
                    LIMIT %2$d FOR UPDATE SKIP LOCKED))""";

    /** What became of a row that was to be given up. */
    public enum Outcome {
        CANCELLED,
        /** Somebody has it now, or its key stops at it and was not to go on. */
        TAKEN,
        NOT_FOUND,
        NOT_DEAD
    }

    private final String table;
    private final String control;

    public DeadRows(TableNames names) {
        this.table = names.qualified(names.internalCommand());
        this.control = names.qualified("emit_control");
    }

    /** Gives up one; if it has a key, the router hears of it, where that may stop at it. Index: the exclusion constraint on id. */
    public Outcome giveUp(Connection connection, UUID id) throws SQLException {
        return giveUp(connection, id, true);
    }

    /** The same, but for one at which its key stops. */
    public Outcome giveUpForItsAge(Connection connection, UUID id) throws SQLException {
        return giveUp(connection, id, false);
    }

    private Outcome giveUp(Connection connection, UUID id, boolean letsKeysGoOn) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ONE.formatted(table, control))) {
            statement.setObject(1, id);
            statement.setBoolean(2, letsKeysGoOn);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return Outcome.CANCELLED;
                }
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(WHY.formatted(table))) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Outcome.NOT_FOUND;
                }
                return row.getString(1).equals("DEAD") ? Outcome.TAKEN : Outcome.NOT_DEAD;
            }
        }
    }

    /**
     * Gives up those that failed last so long ago, but for those at which their keys stop.
     *
     * @return rows
     */
    public long giveUpOlderThan(Connection connection, Duration age, Waiting waiting) throws SQLException {
        AtomicLong rows = new AtomicLong();
        Sweep.over(connection, table, waiting, stretch -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(OLD.formatted(stretch.table(), Sweep.ROWS))) {
                statement.setString(1, stretch.after());
                statement.setString(2, stretch.before());
                statement.setLong(3, age.toMillis());
                int changed = statement.executeUpdate();
                rows.addAndGet(changed);
                // What is changed is not found again: the stretch is asked from its beginning until nothing is left.
                return changed == Sweep.ROWS ? Optional.of(stretch.after()) : Optional.empty();
            }
        });
        return rows.get();
    }
}
