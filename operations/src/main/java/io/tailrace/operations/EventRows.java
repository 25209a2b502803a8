package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.header.Headers;
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

    /**
     * What of a row its dead letter may lack.
     *
     * @param payload as the capture carries it; null when the row has none
     * @param headers the row's own; others may be among them
     */
    record Content(@Nullable Bytes payload, Headers headers) {}

    private static final String PAYLOAD = "SELECT payload::text, payload_binary FROM %s WHERE id = ?";

    private static final String HEADERS =
            "SELECT h.key, h.value FROM %s t, json_each_text(t.headers) h WHERE t.id = ? AND json_typeof(t.headers) = 'object'";

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

    /** Payload and headers; empty when the row is gone. */
    Optional<Content> content(UUID id) {
        return database.call("reading a row of " + table, connection -> {
            readOnly(connection);
            Headers headers = headers(connection, id);
            try (PreparedStatement statement = connection.prepareStatement(PAYLOAD.formatted(table))) {
                statement.setObject(1, id);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next()
                            ? Optional.of(new Content(
                                    payload(row.getString(1), row.getBytes(2)).orElse(null), headers))
                            : Optional.empty();
                }
            }
        });
    }

    private Headers headers(Connection connection, UUID id) throws SQLException {
        Headers.Builder headers = Headers.builder();
        try (PreparedStatement statement = connection.prepareStatement(HEADERS.formatted(table))) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String value = row.getString(2);
                    headers.add(row.getString(1), value == null ? null : Bytes.utf8(value));
                }
            }
        }
        return headers.build();
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
