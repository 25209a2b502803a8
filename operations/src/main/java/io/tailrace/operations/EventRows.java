package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.Bytes;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looks at rows of the outbox for the payload that their dead letters do not carry: plain reads by the index on the id, no lock. */
final class EventRows {

    /**
     * What stands under one id.
     *
     * @param rows that have it; two are two events
     * @param payloadBytes of the largest of them
     */
    record Found(int rows, int payloadBytes) {

        static final Found NOTHING = new Found(0, 0);
    }

    private static final String SIZES = """
            SELECT id, count(*), max(coalesce(octet_length(payload::text), octet_length(payload_binary), 0))
            FROM %s WHERE id = ANY (?) GROUP BY id""";

    private static final String PAYLOAD = "SELECT payload::text, payload_binary FROM %s WHERE id = ?";

    private final Database database;
    private final String table;

    EventRows(SourceConfig source) {
        this.database = new Database(source);
        this.table = source.tables().qualified(source.tables().outbox());
    }

    /** By row id; what is not in it is not in the table. */
    Map<String, Found> look(Collection<UUID> ids) {
        return database.call("looking at " + table, connection -> {
            Map<String, Found> found = new HashMap<>();
            Array wanted = connection.createArrayOf("uuid", ids.toArray());
            try (PreparedStatement statement = readOnly(connection).prepareStatement(SIZES.formatted(table))) {
                statement.setArray(1, wanted);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.put(rows.getString(1), new Found(rows.getInt(2), rows.getInt(3)));
                    }
                }
            }
            return found;
        });
    }

    /** The bytes of a payload as the capture carries them; empty when the row or its payload is gone. */
    Optional<Bytes> payload(UUID id) {
        return database.call("reading a payload of " + table, connection -> {
            try (PreparedStatement statement = readOnly(connection).prepareStatement(PAYLOAD.formatted(table))) {
                statement.setObject(1, id);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? payload(row.getString(1), row.getBytes(2)) : Optional.empty();
                }
            }
        });
    }

    private static Optional<Bytes> payload(@Nullable String text, byte @Nullable [] binary) {
        if (text != null) {
            return Optional.of(Bytes.utf8(text));
        }
        return binary == null ? Optional.empty() : Optional.of(Bytes.of(binary));
    }

    private static Connection readOnly(Connection connection) throws SQLException {
        connection.setReadOnly(true);
        try (Statement settings = connection.createStatement()) {
            // A row that a policy hides must not be taken for one that is gone: refused instead.
            settings.execute("SET row_security = off");
        }
        return connection;
    }
}
