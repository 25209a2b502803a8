package io.tailrace.operations.sweep;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Which rows of a table are overdue: what commands and deliveries have in common. Immutable. */
final class OverdueTable {

    /**
     * Behind a head that waits rightly, or did until a moment ago, or at which the key stops, all of its key wait rightly. What stands behind
     * an overdue one is sent after it: the lane that would have released it is gone too; and one that has no place yet gets it by being sent. Only the head is
     * looked at, since a lane may have very many rows. Index: that of the order guard, which ends with the place; the condition on the
     * status is for that of a schema before version 11.
     */
    private static final String IS_OVERDUE = """
            (r.status = 'PENDING' AND <due r> < <limit> AND NOT <waits r>
                AND NOT coalesce((SELECT h.status = 'DEAD' OR <due h> >= <limit> OR <waits h>
                    FROM <table> h WHERE <key h> = <key r> AND h.place < r.place
                        AND h.place IS NOT NULL AND h.status IN ('PENDING', 'DEAD') AND (h.status = 'PENDING' OR h.halts)
                    ORDER BY h.place LIMIT 1), false)
            OR r.status = 'DEAD' AND r.announced_at IS NULL AND coalesce(r.failed_at, r.created_at) < <limit>)
            AND (r.ordering_key IS NULL OR r.ordering_key <> ALL (?)) AND r.<id> <> ALL (?)""";

    /** Stated once for a statement, so that it cannot differ between two rows. */
    private static final String LIMIT = "(SELECT statement_timestamp() - ? * interval '1 millisecond')";

    private static final int LIMITS = 3;

    /** Locks some of them. One that is locked is being run, or changed: it is passed over. */
    static final String SOME = " LIMIT " + Sweep.ROWS + " FOR UPDATE OF r SKIP LOCKED";

    private static final String COUNT = """
            SELECT count(*) FILTER (WHERE r.status = 'PENDING'), count(*) FILTER (WHERE r.status = 'DEAD'),
                extract(epoch FROM clock_timestamp() - min(<due r>) FILTER (WHERE r.status = 'PENDING'))
            """;

    private static final String WHERE = " FROM ONLY %s r WHERE r.ctid > ?::tid AND r.ctid < ?::tid AND %s";

    private final String table;
    private final Words words;
    private final List<String> of;
    private final String where;

    /**
     * Where the tables differ. In SQL, with {@code %1$s} for the row.
     *
     * @param id column
     * @param key by which its rows stand in their order
     * @param due when it was; a row cannot have been due before it was there
     * @param waits whether it waits rightly, whatever the time; never null
     * @param isOne condition of those that are meant, of {@code r}; its parameters are texts
     */
    record Words(String id, String key, String due, String waits, String isOne) {

        private String in(String sql) {
            return sql.replace("<id>", id)
                    .replace("<key h>", key.formatted("h"))
                    .replace("<key r>", key.formatted("r"))
                    .replace("<due h>", due.formatted("h"))
                    .replace("<due r>", due.formatted("r"))
                    .replace("<waits h>", waits.formatted("h"))
                    .replace("<waits r>", waits.formatted("r"));
        }
    }

    /**
     * Of one table.
     *
     * @param table qualified and quoted
     * @param of parameters of what is meant
     */
    OverdueTable(String table, Words words, List<String> of) {
        this.table = table;
        this.words = words;
        this.of = List.copyOf(of);
        this.where = words.isOne() + " AND "
                + words.in(IS_OVERDUE).replace("<table>", table).replace("<limit>", LIMIT);
    }

    /**
     * Counts them.
     *
     * @param overdue by how much
     * @param but what is left out
     */
    Seen count(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        Seen[] seen = {Seen.NONE};
        Sweep.over(connection, table, waiting, stretch -> {
            try (PreparedStatement statement = prepared(connection, words.in(COUNT), "", stretch, overdue, but);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                seen[0] = seen[0].plus(new Seen(row.getLong(1), row.getLong(2), row.getDouble(3)));
            }
            return Optional.empty();
        });
        return seen[0];
    }

    /**
     * A statement about those of a stretch.
     *
     * @param before what is asked of {@code r}
     * @param after what comes behind the condition; see {@link #SOME}
     */
    PreparedStatement prepared(
            Connection connection, String before, String after, Stretch stretch, Duration overdue, InHand but)
            throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(before + WHERE.formatted(stretch.table(), where) + after);
        int next = 1;
        statement.setString(next++, stretch.after());
        statement.setString(next++, stretch.before());
        for (String each : of) {
            statement.setString(next++, each);
        }
        for (int limit = 0; limit < LIMITS; limit++) {
            statement.setLong(next++, overdue.toMillis());
        }
        statement.setArray(next++, connection.createArrayOf("text", but.keys().toArray()));
        statement.setArray(next, connection.createArrayOf("uuid", but.ids().toArray()));
        return statement;
    }
}
