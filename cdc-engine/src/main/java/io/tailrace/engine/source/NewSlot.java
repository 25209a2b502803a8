package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A slot that was just made in the place of another, with the snapshot that belongs to it: what committed before {@link #beginsAt()} is
 * in the snapshot, what commits after it comes out of the slot, and nothing is in both. The snapshot can be taken up by another session
 * while this is open.
 */
public final class NewSlot implements AutoCloseable {

    private final Connection connection;
    private final long beginsAt;
    private final String snapshot;

    private NewSlot(Connection connection, long beginsAt, String snapshot) {
        this.connection = connection;
        this.beginsAt = beginsAt;
        this.snapshot = snapshot;
    }

    /**
     * Drops the slot of this name, if there is one, and makes it anew. Waits for the transactions that are open.
     *
     * @param progress hears for which ones it waits
     * @throws SQLException when the slot is in use, or the server refuses
     */
    public static NewSlot replace(SourceConnections connections, String slot, Consumer<String> progress)
            throws SQLException {
        String application = "tailrace-recover-" + slot;
        boolean standbysMayKeepIt;
        try (Connection sql = connections.sql(application)) {
            drop(sql, slot);
            openTransactions(sql).forEach(open -> progress.accept("the new slot waits for the end of: " + open));
            standbysMayKeepIt = sql.getMetaData().getDatabaseMajorVersion() >= 17;
        }
        Connection replication = connections.patientReplication(application);
        boolean made = false;
        try (Statement statement = replication.createStatement();
                ResultSet row =
                        statement.executeQuery("CREATE_REPLICATION_SLOT %s LOGICAL pgoutput (SNAPSHOT 'export'%s)"
                                .formatted(TableNames.quoted(slot), standbysMayKeepIt ? ", FAILOVER true" : ""))) {
            if (!row.next()) {
                throw new SQLException("CREATE_REPLICATION_SLOT gave no row");
            }
            NewSlot slotMade = new NewSlot(
                    replication, Lsn.parse(row.getString("consistent_point")), row.getString("snapshot_name"));
            made = true;
            return slotMade;
        } finally {
            if (!made) {
                replication.close();
            }
        }
    }

    /** Where it begins: everything that committed before is in the snapshot. */
    public long beginsAt() {
        return beginsAt;
    }

    /** For {@code SET TRANSACTION SNAPSHOT}. */
    String snapshot() {
        return snapshot;
    }

    /** Gives up the snapshot; who has taken it up keeps it, and the slot stays. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private static void drop(Connection sql, String slot) throws SQLException {
        try (PreparedStatement statement = sql.prepareStatement(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?")) {
            statement.setString(1, slot);
            statement.executeQuery().close();
        }
    }

    /** A slot begins where no transaction is open that began before it: one that was prepared and forgotten too, in any database. */
    private static List<String> openTransactions(Connection sql) throws SQLException {
        // When it began is told to its own role and to those who may read all statistics.
        String query = """
                SELECT format('transaction of backend %s (%s, user %s)%s', pid, application_name, usename, ', open since ' || xact_start),
                       xact_start AS began
                  FROM pg_stat_activity
                 WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
                UNION ALL
                SELECT format('prepared transaction %s (database %s, user %s), prepared at %s; '
                              'it ends by COMMIT PREPARED or ROLLBACK PREPARED there', quote_literal(gid), database, owner, prepared),
                       prepared
                  FROM pg_prepared_xacts
                 ORDER BY began LIMIT 10
                """;
        try (Statement statement = sql.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            List<String> open = new ArrayList<>();
            while (row.next()) {
                open.add(row.getString(1));
            }
            return open;
        }
    }
}
