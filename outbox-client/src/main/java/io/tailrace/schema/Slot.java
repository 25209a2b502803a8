package io.tailrace.schema;

import io.tailrace.contract.StartRefused;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A replication slot that exists. */
record Slot(String name, @Nullable String plugin, @Nullable String database, boolean temporary, boolean lost) {

    static Optional<Slot> read(Connection connection, String name) throws SQLException {
        return Jdbc.first(
                connection,
                """
                SELECT slot_name, plugin, database, temporary, wal_status = 'lost'
                FROM pg_catalog.pg_replication_slots WHERE slot_name = ?""",
                row -> new Slot(
                        row.getString(1), row.getString(2), row.getString(3), row.getBoolean(4), row.getBoolean(5)),
                name);
    }

    /** From PostgreSQL 17 on a slot may be kept by standbys; one made by hand, or before an upgrade, is not. */
    static List<String> notices(Connection connection, String name) throws SQLException {
        // to_jsonb: the column came with PostgreSQL 17.
        return Jdbc.list(
                connection,
                """
                SELECT slot_name FROM pg_catalog.pg_replication_slots s
                WHERE slot_name = ? AND NOT (pg_catalog.to_jsonb(s) ->> 'failover')::boolean""",
                row ->
                        "slot %1$s is no failover slot: no standby keeps it, and a promotion loses it. If there is a standby, stop the engine and run over a replication connection: ALTER_REPLICATION_SLOT %1$s ( FAILOVER true )"
                                .formatted(row.getString(1)),
                name);
    }

    /** @throws StartRefused unless it is ours to use */
    void requireUsable(Connection connection) throws SQLException {
        if (!"pgoutput".equals(plugin) || !connection.getCatalog().equals(database) || temporary || lost) {
            throw new StartRefused(
                    "there is a slot %s already that cannot be used (plugin %s, database %s%s%s). Fix: SELECT pg_drop_replication_slot('%s') if nobody reads it, or configure another namespace"
                            .formatted(
                                    name,
                                    plugin,
                                    database,
                                    temporary ? ", temporary" : "",
                                    lost ? ", lost" : "",
                                    name));
        }
    }
}
