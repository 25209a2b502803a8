package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.OutboxMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Writes events, as rows of the outbox table or as messages in the log ({@link TailraceClient.Builder#outboxMode}). Uses the caller's connection only: never opens, commits, rolls back or closes one. Thread-safe, as far as each
 * thread brings its own connection.
 */
public final class Outbox {

    /**
     * One round trip, and no privilege beyond INSERT and EXECUTE: RETURNING would need SELECT.
     * Locks: the new row. Indexes: the one on id is written.
     */
    private static final String INSERT = """
            WITH made (id) AS (SELECT coalesce(?::uuid, %1$s.new_id())), written AS (
                INSERT INTO %2$s (id, event_name, event_version, ordering_key, payload, payload_binary, content_type, headers,
                        tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
                    SELECT made.id, ?, ?::integer, ?, ?::json, ?::bytea, ?, json_object(?::text[], ?::text[]), ?, ?, ?, ?, ?, ?
                    FROM made)
            SELECT id FROM made""";

    /** One round trip, and no privilege beyond EXECUTE. Takes no lock and writes nothing but the log. */
    private static final String EMIT = """
            SELECT %1$s.emit(id => ?::uuid, event_name => ?, event_version => ?::integer, ordering_key => ?, payload => ?::json,
                payload_binary => ?::bytea, content_type => ?, headers => json_object(?::text[], ?::text[]), tenant_id => ?,
                user_id => ?, user_roles => ?, correlation_id => ?, causation_id => ?, traceparent => ?)""";

    private final String statement;
    private final Origins origins;

    Outbox(TableNames tables, OutboxMode mode, Origins origins) {
        String sql = mode == OutboxMode.MESSAGE ? EMIT : INSERT;
        this.statement = sql.formatted(TableNames.quoted(tables.schema()), tables.qualified(tables.outbox()));
        this.origins = origins;
    }

    /**
     * Writes an event in the caller's transaction: it is carried if that commits, and never was if it does not.
     *
     * @return the id of the event, which is {@code ce_id} of every record of it
     * @throws IllegalStateException if the connection is in autocommit mode and the event does not stand alone
     * @throws IllegalArgumentException if the origin has a value that is too long
     * @throws SQLException from the driver, with SQLSTATE 22P02 if the payload is not JSON; PostgreSQL has then ended the transaction;
     *     with SQLSTATE 54000 if a message is larger than the database lets it be, see {@code tailrace.emit}
     */
    public UUID publish(Connection connection, Event event) throws SQLException {
        Content content = event.content();
        Statements.requireTransaction(connection, content.standsAlone());
        try (PreparedStatement prepared = connection.prepareStatement(statement)) {
            new Statements(prepared)
                    .object(content.id())
                    .text(event.name().text())
                    .number(event.version())
                    .content(content)
                    .origin(origins.current());
            try (ResultSet row = prepared.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }
}
