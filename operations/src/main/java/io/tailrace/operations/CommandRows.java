package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
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

    private final Database database;
    private final String standings;

    CommandRows(SourceConfig source) {
        this.database = new Database(source);
        this.standings =
                STANDINGS.formatted(source.tables().qualified(source.tables().internalCommand()));
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
