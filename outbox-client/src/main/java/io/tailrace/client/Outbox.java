package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Writes events. Uses the caller's connection only: never opens, commits, rolls back or closes one. Thread-safe, as far as each
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

    private final String insert;
    private final Origins origins;

    Outbox(TableNames tables, Origins origins) {
        this.insert = INSERT.formatted(TableNames.quoted(tables.schema()), tables.qualified(tables.outbox()));
        this.origins = origins;
    }

    /**
     * Inserts an event in the caller's transaction: it is carried if that commits, and never was if it does not.
     *
     * @return the id of the row, which is {@code ce_id} of every record of it
     * @throws IllegalStateException if the connection is in autocommit mode and the event does not stand alone
     * @throws IllegalArgumentException if the origin has a value that is too long
     * @throws SQLException from the driver, with SQLSTATE 22P02 if the payload is not JSON; PostgreSQL has then ended the transaction
     */
    public UUID publish(Connection connection, Event event) throws SQLException {
        Content content = event.content();
        Statements.requireTransaction(connection, content.standsAlone());
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            new Statements(statement)
                    .object(content.id())
                    .text(event.name().text())
                    .number(event.version())
                    .content(content)
                    .origin(origins.current());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }
}
