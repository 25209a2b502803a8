package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.redact.SecretPaths;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes secret values out of rows that are done. The publication carries INSERT only, so nobody hears of it. A payload that the values
 * cannot be cut out of goes whole. Doing it twice changes nothing. Index: that on the id; lock: the row.
 */
public final class ScrubTable {

    private static final String DEFAULT_CONTENT_TYPE = "application/json";

    /** Two rows of one id are two events, and the other may still be needed: none of them is touched. */
    private static final String READ = """
            SELECT t.payload::text, t.payload_binary, t.content_type, t.headers::text FROM %1$s t
            WHERE t.id = ? AND %2$s AND (SELECT count(*) FROM %1$s o WHERE o.id = t.id) = 1 FOR UPDATE""";

    private static final String WRITE =
            "UPDATE %1$s SET payload = ?::json, payload_binary = ?, headers = ?::json WHERE id = ?";

    /** What a trigger or a constraint has deferred is said now, and so about this row. */
    private static final String SPEAK_NOW = "SET CONSTRAINTS ALL IMMEDIATE";

    /** Whoever holds a row, or its table, does not hold up the others for longer. */
    private static final String LIMIT = "SET LOCAL lock_timeout = '100ms'";

    private static final String UNSEEN =
            "SELECT NOT EXISTS (SELECT FROM %1$s t WHERE t.id = ? AND %3$s) AND %2$s(?) = 'in progress'";

    private final String read;
    private final String write;
    private final String unseen;

    private ScrubTable(String table, String transactionState, String isDone) {
        read = READ.formatted(table, isDone);
        write = WRITE.formatted(table);
        unseen = UNSEEN.formatted(table, transactionState, isDone);
    }

    /** Rows that were delivered: which ones, the caller knows. */
    public static ScrubTable ofEvents(TableNames names) {
        return new ScrubTable(names.qualified(names.outbox()), names.qualified("transaction_state"), "true");
    }

    /** Rows that are completed or cancelled. */
    public static ScrubTable ofCommands(TableNames names) {
        return new ScrubTable(
                names.qualified(names.internalCommand()),
                names.qualified("transaction_state"),
                "t.status IN ('COMPLETED', 'CANCELLED')");
    }

    /** In this transaction a row that somebody else has locked is waited for only briefly. */
    public static void waitBriefly(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(LIMIT);
        }
    }

    /**
     * Scrubs a row, in the transaction of the connection.
     *
     * @return whether there was anything to scrub
     */
    public boolean scrub(Connection connection, UUID id, SecretPaths paths) throws SQLException {
        Optional<Columns> found = read(connection, id);
        Optional<Columns> scrubbed =
                found.map(columns -> columns.without(paths)).filter(columns -> !columns.equals(found.get()));
        if (scrubbed.isPresent()) {
            write(connection, id, scrubbed.get());
        }
        return scrubbed.isPresent();
    }

    /** Whether the row is not here, or not done, because that transaction is still in progress for others: ask again later. */
    public boolean isUnseen(Connection connection, UUID id, long xid) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(unseen)) {
            statement.setObject(1, id);
            statement.setLong(2, xid);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private Optional<Columns> read(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Columns(
                                row.getString(1), bytes(row.getBytes(2)), row.getString(3), row.getString(4)))
                        : Optional.empty();
            }
        }
    }

    private void write(Connection connection, UUID id, Columns columns) throws SQLException {
        Bytes binary = columns.binary();
        try (PreparedStatement statement = connection.prepareStatement(write)) {
            statement.setString(1, columns.json());
            statement.setBytes(2, binary == null ? null : binary.array());
            statement.setString(3, columns.headers());
            statement.setObject(4, id);
            statement.executeUpdate();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(SPEAK_NOW);
        }
    }

    private static @Nullable Bytes bytes(byte @Nullable [] array) {
        return array == null ? null : Bytes.of(array);
    }

    /** What of a row may hold secrets. */
    private record Columns(
            @Nullable String json,
            @Nullable Bytes binary,
            @Nullable String contentType,
            @Nullable String headers) {

        Columns without(SecretPaths paths) {
            String type = Objects.requireNonNullElse(contentType, DEFAULT_CONTENT_TYPE);
            return new Columns(
                    json == null
                            ? null
                            : paths.cut(Bytes.of(json.getBytes(StandardCharsets.UTF_8)), type)
                                    .map(Bytes::utf8)
                                    .orElse(null),
                    binary == null
                            ? null
                            : paths.cut(binary, Objects.requireNonNullElse(contentType, "application/octet-stream"))
                                    .orElse(null),
                    contentType,
                    headers == null ? null : paths.cutHeaders(headers).orElse(null));
        }
    }
}
