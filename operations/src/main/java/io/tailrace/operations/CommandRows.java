package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.operations.Replay.Newer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Looks at the rows of dead letters: plain reads, no lock. */
final class CommandRows {

    /** A row's xmax is the transaction that has locked or changed it; one that still runs holds a lock on its own id. */
    private static final String STANDINGS = """
            SELECT c.id, CASE
                WHEN c.status <> 'DEAD' THEN c.status
                WHEN c.xmax IN (SELECT l.transactionid FROM pg_locks l WHERE l.transactionid IS NOT NULL AND l.granted)
                    THEN 'DEAD_AND_TAKEN'
                WHEN EXISTS (SELECT FROM %1$s p WHERE md5(p.dedup_key) = md5(c.dedup_key)
                        AND p.status = 'PENDING' AND p.dedup_key IS NOT NULL)
                    THEN 'DEAD_AND_FOLLOWED'
                ELSE 'DEAD' END
            FROM %1$s c WHERE c.id = ANY (?)""";

    /**
     * A row that ran well at once has no place; what was done after this one had failed stood behind it, for what stood before it had to
     * be done first. Reads the whole table: rows that are done are in no index.
     */
    private static final String NEWER = """
            SELECT d.id, count(n.id) FROM %1$s d
            LEFT JOIN %1$s n ON n.ordering_key = d.ordering_key AND n.id <> d.id AND n.status = 'COMPLETED'
                AND (n.place > d.place OR n.place IS NULL AND n.completed_at > d.failed_at)
            WHERE d.id = ANY (?) AND d.ordering_key IS NOT NULL GROUP BY d.id""";

    /** Nobody waits longer for a number, and nobody's table is read for longer because of it. */
    private static final String IN_TIME = "SET statement_timeout = '10s'";

    private static final String CANCELLED = "57014";

    private final Database database;
    private final String standings;
    private final String newer;

    CommandRows(SourceConfig source) {
        this.database = new Database(source);
        String table = source.tables().qualified(source.tables().internalCommand());
        this.standings = STANDINGS.formatted(table);
        this.newer = NEWER.formatted(table);
    }

    /** By row id, for each letter. A row id that is no UUID is nobody's: {@link Standing#GONE}. */
    Map<String, Standing> standings(Collection<DeadLetter> letters) {
        List<UUID> ids = letters.stream()
                .flatMap(letter -> uuid(letter.rowId()).stream())
                .toList();
        Map<UUID, Standing> seen = ids.isEmpty() ? Map.of() : look(ids);
        Map<String, Standing> standings = new HashMap<>();
        letters.forEach(letter -> standings.put(
                letter.rowId(), uuid(letter.rowId()).map(seen::get).orElse(Standing.GONE)));
        return standings;
    }

    /** By row id: newer rows of its key that were completed. What is not in it has no order to keep. */
    Map<String, Newer> newer(Collection<DeadLetter> letters) {
        List<UUID> ids = letters.stream()
                .filter(letter -> letter.orderingKey().isPresent())
                .flatMap(letter -> uuid(letter.rowId()).stream())
                .toList();
        return ids.isEmpty()
                ? Map.of()
                : database.call("counting newer commands", connection -> {
                    connection.setReadOnly(true);
                    try (Statement settings = connection.createStatement()) {
                        settings.execute(IN_TIME);
                    }
                    return newer(connection, ids);
                });
    }

    private Map<String, Newer> newer(Connection connection, List<UUID> ids) throws SQLException {
        Map<String, Newer> seen = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(newer)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    seen.put(rows.getString(1), new Newer(rows.getLong(2), true));
                }
            }
        } catch (SQLException failed) {
            if (!CANCELLED.equals(failed.getSQLState())) {
                throw failed;
            }
            ids.forEach(id -> seen.put(id.toString(), new Newer(0, false)));
        }
        return seen;
    }

    static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }

    private Map<UUID, Standing> look(List<UUID> ids) {
        return database.call("looking at commands", connection -> {
            connection.setReadOnly(true);
            try (Statement settings = connection.createStatement()) {
                // A row that a policy hides must not be taken for one that is gone: refused instead.
                settings.execute("SET row_security = off");
            }
            return look(connection, ids);
        });
    }

    private Map<UUID, Standing> look(Connection connection, List<UUID> ids) throws SQLException {
        Map<UUID, Standing> seen = new HashMap<>();
        Array wanted = connection.createArrayOf("uuid", ids.toArray());
        try (PreparedStatement statement = connection.prepareStatement(standings)) {
            statement.setArray(1, wanted);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    seen.put(rows.getObject(1, UUID.class), Standing.valueOf(rows.getString(2)));
                }
            }
        }
        return seen;
    }
}
