package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Commands that should have run long ago, and dead ones of which nobody knows that their letter was written. Word of them goes through the
 * log, in transactions of a thousand on a connection that commits by itself. The rows are not changed: place, turn and attempts stay.
 */
public final class OverdueRows implements Overdue {

    /**
     * A row cannot have been due before it was there. One that an external handler has, or whose name is paused, waits rightly. Null
     * is passed over by greatest.
     */
    private static final String IS_OVERDUE = """
            (c.status = 'PENDING' AND greatest(c.run_at, c.not_before, c.created_at) < %3$s
                AND (c.claimed_until IS NULL OR c.claimed_until < clock_timestamp())
                AND NOT EXISTS (SELECT FROM %1$s p WHERE p.name = c.hold)
                AND NOT coalesce(%4$s, false)
            OR c.status = 'DEAD' AND c.announced_at IS NULL AND coalesce(c.failed_at, c.created_at) < %3$s)""";

    /**
     * Behind a head that waits rightly, or did until a moment ago, or at which the key stops, all of its key wait rightly. What stands behind an overdue one is
     * sent after it: the lane that would have released it is gone too; and one that has no place yet gets it by being sent. Only the head is
     * looked at, since a lane may have very many rows. Index: (ordering_key, place).
     */
    private static final String HEAD_WAITS_RIGHTLY = """
            (SELECT h.status = 'DEAD' OR greatest(h.run_at, h.not_before, h.created_at) >= %3$s OR h.claimed_until >= clock_timestamp()
                    OR EXISTS (SELECT FROM %1$s p WHERE p.name = h.hold)
                FROM %2$s h WHERE h.ordering_key = c.ordering_key AND h.place < c.place
                    AND h.place IS NOT NULL AND h.status IN ('PENDING', 'DEAD') AND (h.status = 'PENDING' OR h.halts)
                ORDER BY h.place LIMIT 1)""";

    /** Stated once for a statement, so that it cannot differ between two rows. */
    private static final String LIMIT = "(SELECT statement_timestamp() - ? * interval '1 millisecond')";

    private static final String COUNT = """
            SELECT count(*) FILTER (WHERE c.status = 'PENDING'), count(*) FILTER (WHERE c.status = 'DEAD'),
                extract(epoch FROM clock_timestamp()
                    - min(greatest(c.run_at, c.not_before, c.created_at)) FILTER (WHERE c.status = 'PENDING'))
            FROM ONLY %1$s c WHERE c.ctid > ?::tid AND c.ctid < ?::tid AND %2$s""";

    /** A row that is locked is being run, or changed: it needs no word. */
    private static final String WAKE = """
            WITH overdue AS (
                SELECT c AS command, c.ctid AS place FROM ONLY %1$s c
                WHERE c.ctid > ?::tid AND c.ctid < ?::tid AND %2$s LIMIT %3$d FOR UPDATE OF c SKIP LOCKED)
            SELECT o.place::text, (o.command).status, %4$s('wake', o.command) FROM overdue o""";

    private final String table;
    private final String condition;
    private final String control;

    public OverdueRows(TableNames names) {
        this.table = names.qualified(names.internalCommand());
        String paused = names.qualified("pause");
        this.condition = IS_OVERDUE.formatted(paused, table, LIMIT, HEAD_WAITS_RIGHTLY.formatted(paused, table, LIMIT));
        this.control = names.qualified("emit_control");
    }

    @Override
    public Seen count(Connection connection, Duration overdue, Waiting waiting) throws SQLException {
        Seen[] seen = {Seen.NONE};
        Sweep.over(connection, table, waiting, stretch -> {
            try (PreparedStatement statement = prepared(connection, COUNT, stretch, overdue);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                seen[0] = seen[0].plus(new Seen(row.getLong(1), row.getLong(2), row.getDouble(3)));
            }
            return Optional.empty();
        });
        return seen[0];
    }

    @Override
    public Seen wake(Connection connection, Duration overdue, Waiting waiting) throws SQLException {
        Seen[] woken = {Seen.NONE};
        Sweep.over(connection, table, waiting, stretch -> {
            long pending = 0;
            long dead = 0;
            String last = "";
            try (PreparedStatement statement = prepared(connection, WAKE, stretch, overdue);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    last = rows.getString(1);
                    boolean isDead = rows.getString(2).equals("DEAD");
                    dead += isDead ? 1 : 0;
                    pending += isDead ? 0 : 1;
                }
            }
            woken[0] = woken[0].plus(new Seen(pending, dead, 0));
            return pending + dead == Sweep.ROWS ? Optional.of(last) : Optional.empty();
        });
        return woken[0];
    }

    private PreparedStatement prepared(Connection connection, String sql, Stretch stretch, Duration overdue)
            throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(sql.formatted(stretch.table(), condition, Sweep.ROWS, control));
        statement.setString(1, stretch.after());
        statement.setString(2, stretch.before());
        for (int limit = 3; limit <= 5; limit++) {
            statement.setLong(limit, overdue.toMillis());
        }
        return statement;
    }
}
