package io.tailrace.client;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Fills the parameters of one statement, in order. */
final class Statements {

    private final PreparedStatement statement;
    private int position;

    Statements(PreparedStatement statement) {
        this.statement = statement;
    }

    /** A row that commits by itself is one that survives the rollback of what justified it. */
    static void requireTransaction(Connection connection, boolean standsAlone) throws SQLException {
        if (!standsAlone && connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in autocommit mode, so this row would commit apart from the change that justifies it;"
                            + " call setAutoCommit(false) first, or standingAlone() on the row if nothing else justifies it");
        }
    }

    Statements text(@Nullable String value) throws SQLException {
        statement.setString(++position, value);
        return this;
    }

    Statements object(@Nullable Object value) throws SQLException {
        if (value == null) {
            statement.setNull(++position, Types.OTHER);
        } else {
            statement.setObject(++position, value);
        }
        return this;
    }

    Statements number(OptionalInt value) throws SQLException {
        if (value.isEmpty()) {
            statement.setNull(++position, Types.INTEGER);
        } else {
            statement.setInt(++position, value.getAsInt());
        }
        return this;
    }

    /** Key, payload, content type and headers, as every row has them. */
    Statements content(Content content) throws SQLException {
        Payload payload = content.payload();
        Bytes binary = payload.binary();
        text(content.key()).text(payload.json());
        if (binary == null) {
            statement.setNull(++position, Types.BINARY);
        } else {
            statement.setBytes(++position, binary.array());
        }
        return text(payload.contentType()).headers(content.headers());
    }

    Statements origin(Origin origin) throws SQLException {
        return text(origin.tenantId())
                .text(origin.userId())
                .text(origin.userRoles())
                .text(origin.correlationId())
                .text(origin.causationId())
                .text(origin.traceparent());
    }

    /** Two arrays, of which the database makes a JSON object; none for no headers. */
    private Statements headers(Map<String, String> headers) throws SQLException {
        if (headers.isEmpty()) {
            return text(null).text(null);
        }
        Connection connection = statement.getConnection();
        statement.setArray(
                ++position, connection.createArrayOf("text", headers.keySet().toArray()));
        statement.setArray(
                ++position, connection.createArrayOf("text", headers.values().toArray()));
        return this;
    }
}
