package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import io.tailrace.operations.sweep.EngineRead.Mark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rows of one table that nobody needs any more, when they are old enough and the engine has read them. Deletes them in transactions of a
 * thousand, on a connection that commits by itself; lock: the rows.
 */
public final class DoneRows {

    private static final String OLDER = "%s < clock_timestamp() - ? * interval '1 millisecond'";

    /**
     * A row whose transaction is older than the oldest that ran at a moment had committed before it. Numbers of transactions that are too old
     * to be compared look young: such a row stays.
     */
    private static final String READ = "age(t.xmin) > age(?::text::xid)";

    private static final String FIND = """
            SELECT t.ctid::text, t.%2$s FROM ONLY %1$s t
            WHERE t.ctid > ?::tid AND t.ctid < ?::tid AND %3$s AND %4$s LIMIT %5$d""";

    /** Found again by all that was said of it: a place may hold another row by now. */
    private static final String DELETE =
            "DELETE FROM ONLY %1$s t WHERE t.ctid = ANY (?::tid[]) AND t.%2$s = ANY (?) AND %3$s AND %4$s";

    private final String label;
    private final String table;
    private final String id;
    private final String condition;

    /** How often the age stands in the condition. */
    private final int ages;

    private final Optional<String> name;

    private DoneRows(TableNames names, String label, String id, String condition, int ages, Optional<String> name) {
        this.label = label;
        this.table = names.qualified(label);
        this.id = id;
        this.condition = condition;
        this.ages = ages;
        this.name = name;
    }

    /** Events, by when they occurred. */
    public static DoneRows ofEvents(TableNames names) {
        return new DoneRows(names, names.outbox(), "id", OLDER.formatted("t.occurred_at"), 1, Optional.empty());
    }

    /**
     * Commands that are completed or cancelled, by when that was. One that is scheduled for later stays until then: a record that
     * brings it to an executor is on its way, and would find no row.
     *
     * @param name a pattern for LIKE; empty for all
     */
    public static DoneRows ofCommands(TableNames names, Optional<String> name) {
        String condition = "t.status IN ('COMPLETED', 'CANCELLED') AND " + OLDER.formatted("t.completed_at") + " AND ("
                + OLDER.formatted("t.run_at") + " OR t.run_at = 'infinity')"
                + (name.isPresent() ? " AND t.command_name LIKE ?" : "");
        return new DoneRows(names, names.internalCommand(), "id", condition, 2, name);
    }

    /**
     * Deliveries that are completed or cancelled, by when that was, and dead ones, by when they failed: of those whose letter is gone
     * nobody will ask again. One at which its key stops stays.
     */
    public static DoneRows ofDeliveries(TableNames names) {
        String condition = "(t.status IN ('COMPLETED', 'CANCELLED') AND " + OLDER.formatted("t.completed_at")
                + " OR t.status = 'DEAD' AND NOT t.halts AND " + OLDER.formatted("t.failed_at") + ")";
        return new DoneRows(names, TableNames.DELIVERY, "event_id", condition, 2, Optional.empty());
    }

    /** The name of the table. */
    public String table() {
        return label;
    }

    private record Found(List<String> places, List<UUID> ids) {}

    /**
     * Deletes them; a stop leaves the rest.
     *
     * @param age since when
     * @param read what the engine has read
     * @param kept ids of rows that stay
     * @return rows deleted
     */
    public long delete(Connection connection, Duration age, Mark read, Set<UUID> kept, Waiting waiting)
            throws SQLException {
        AtomicLong deleted = new AtomicLong();
        Sweep.over(connection, table, waiting, stretch -> {
            List<String> places = new ArrayList<>();
            Found found = find(connection, stretch, age, read, kept, places);
            if (!found.ids().isEmpty()) {
                deleted.addAndGet(delete(connection, stretch, found, age, read));
            }
            return last(places);
        });
        return deleted.get();
    }

    /** Counts those that would be deleted. */
    public long count(Connection connection, Duration age, Mark read, Waiting waiting) throws SQLException {
        AtomicLong counted = new AtomicLong();
        Sweep.over(connection, table, waiting, stretch -> {
            List<String> places = new ArrayList<>();
            counted.addAndGet(
                    find(connection, stretch, age, read, Set.of(), places).ids().size());
            return last(places);
        });
        return counted.get();
    }

    private static Optional<String> last(List<String> places) {
        return places.size() == Sweep.ROWS ? Optional.of(places.get(places.size() - 1)) : Optional.empty();
    }

    /** @param places of all that were found, also of those that stay */
    private Found find(
            Connection connection, Stretch stretch, Duration age, Mark read, Set<UUID> kept, List<String> places)
            throws SQLException {
        Found found = new Found(new ArrayList<>(), new ArrayList<>());
        String sql = FIND.formatted(stretch.table(), id, condition, READ, Sweep.ROWS);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, stretch.after());
            statement.setString(2, stretch.before());
            fill(statement, 3, age, read);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    UUID row = rows.getObject(2, UUID.class);
                    places.add(rows.getString(1));
                    if (!kept.contains(row)) {
                        found.places().add(rows.getString(1));
                        found.ids().add(row);
                    }
                }
            }
        }
        return found;
    }

    private int delete(Connection connection, Stretch stretch, Found found, Duration age, Mark read)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(DELETE.formatted(stretch.table(), id, condition, READ))) {
            statement.setArray(
                    1, connection.createArrayOf("text", found.places().toArray()));
            statement.setArray(2, connection.createArrayOf("uuid", found.ids().toArray()));
            fill(statement, 3, age, read);
            return statement.executeUpdate();
        }
    }

    private void fill(PreparedStatement statement, int first, Duration age, Mark read) throws SQLException {
        int at = first;
        for (int i = 0; i < ages; i++) {
            statement.setLong(at++, age.toMillis());
        }
        if (name.isPresent()) {
            statement.setString(at++, name.get());
        }
        statement.setString(at, Long.toString(read.xmin()));
    }
}
