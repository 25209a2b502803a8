package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender.Outbox;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * One database of a server: its outbox, the place in the log at which a drain begins, and the slot that a drain uses up. The place is
 * held by a slot that nobody reads; every contender gets a copy of it, so all begin at the same byte of the same log.
 */
public final class SiteTables {

    private final Site site;
    private final Outbox outbox;
    private final String jdbcUrl;

    SiteTables(Site site, Outbox outbox, String jdbcUrl) {
        this.site = site;
        this.outbox = outbox;
        this.jdbcUrl = jdbcUrl;
    }

    String jdbcUrl() {
        return jdbcUrl;
    }

    /** Tables, publication and slot. */
    void create() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            switch (outbox) {
                case TAILRACE, TAILRACE_MESSAGES ->
                    Schema.migrate(connection, Site.tables(), Scope.ALL, site.ownership());
                case EVENT_ROUTER -> {
                    execute(connection, RowSql.EVENT_ROUTER_TABLE);
                    execute(
                            connection,
                            "CREATE PUBLICATION %s FOR TABLE outboxevent WITH (publish = 'insert')"
                                    .formatted(site.ownership().publication()));
                }
                case COMMANDS -> {
                    Schema.migrate(connection, Site.tables(), Scope.ALL, site.ownership());
                    execute(connection, CommandSql.TABLES);
                }
            }
        }
    }

    /** Empties the tables and lets every further drain begin here. */
    public void beginHere() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            dropSlot(connection, slot());
            dropSlot(connection, place());
            for (String table : RowSql.tables(outbox)) {
                execute(connection, "TRUNCATE " + table + " RESTART IDENTITY");
            }
            execute(connection, "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(place()));
        }
    }

    /** Writes rows 0 to {@code rows} - 1 behind the place. */
    void fill(int rows, Shape shape) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            // Whether a commit waits for the disk changes nothing of what stands in the log.
            execute(connection, "SET synchronous_commit = off");
            execute(connection, RowSql.fill(outbox, rows, shape.rowsPerTransaction()));
        }
    }

    /** Runs a statement; a block of code may commit within itself. */
    void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            execute(connection, sql);
        }
    }

    /** Gives the next contender a slot of its own that begins at the place. */
    void makeSlot() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            dropSlot(connection, slot());
            execute(connection, "SELECT pg_copy_logical_replication_slot('%s', '%s')".formatted(place(), slot()));
            if (outbox != Outbox.EVENT_ROUTER) {
                // As after a migration: the engine has never run.
                execute(connection, """
                        UPDATE %s SET started_at = NULL, slot_created_lsn =
                            (SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '%s')""".formatted(Site.tables().qualified("source"), slot()));
            }
        }
    }

    private String place() {
        return "begin_" + site.database();
    }

    private String slot() {
        return site.ownership().slot();
    }

    private static void dropSlot(Connection connection, String slot) throws SQLException {
        // Its reader may be a JVM that was ended a moment ago.
        execute(connection, """
                DO $drop$
                BEGIN
                    FOR i IN 1 .. 100 LOOP
                        PERFORM pg_terminate_backend(active_pid) FROM pg_replication_slots
                            WHERE slot_name = '%1$s' AND active_pid IS NOT NULL;
                        EXIT WHEN NOT FOUND;
                        PERFORM pg_sleep(0.1);
                    END LOOP;
                    PERFORM pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '%1$s';
                END $drop$""".formatted(slot));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
