package io.tailrace.engine;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.embedded.EmbeddedPostgres;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals that need a server of their own: one data directory, its copies, and what they become. */
@RealParts
class ServerRefusalTest {

    private static final String DATABASE = "shop";

    @TempDir
    Path directory;

    @Test
    void serversThatAreNotWhatTheyWere(Stack stack) throws Exception {
        Path data = directory.resolve("data");
        Path backup = directory.resolve("backup");
        Path standby = directory.resolve("standby");
        String slot = new Namespace(stack.namespace()).slot(DATABASE);
        try (EmbeddedPostgres server = server(data, "logical")) {
            server.createDatabase(DATABASE);
            migrate(server.jdbcUrl(DATABASE), stack);
            capture(stack, server, 1, 1);
            server.stop();
            copy(data, backup);
            copy(data, standby);
            server.start();
            // More log than a server writes that is merely started.
            capture(stack, server, 2_000, 2_001);
        }
        try (EmbeddedPostgres server = server(backup, "logical")) {
            RefusalTest.assertRefused(
                    stack,
                    config(stack, server),
                    "it was restored from a backup",
                    "New rows would be taken for old ones and skipped",
                    "Gap: from 0/");
        }
        Files.createFile(standby.resolve("standby.signal"));
        try (EmbeddedPostgres server = server(standby, "logical")) {
            execute(server.jdbcUrl(), "SELECT pg_promote()");
            RefusalTest.assertRefused(
                    stack,
                    config(stack, server),
                    "The database left timeline 1 at 0/",
                    "although this database has forgotten them");
        }
        stack.postgres().createDatabase(DATABASE);
        try {
            migrate(stack.postgres().jdbcUrl(DATABASE), stack);
            RefusalTest.assertRefused(
                    stack,
                    config(stack, stack.postgres()),
                    "This is another database cluster: its system id is",
                    "or connect to the cluster you meant");
        } finally {
            execute(stack.postgres().jdbcUrl(), EngineFixture.dropSlot(slot), "DROP DATABASE shop");
        }
        try (EmbeddedPostgres server = server(data, "logical")) {
            exceed(server);
            RefusalTest.assertRefused(
                    stack,
                    config(stack, server),
                    "Slot " + slot + " is invalidated (wal_status lost",
                    "Gap: from 0/",
                    "raise max_slot_wal_keep_size",
                    "engine recover --from-table");
            // Or the server would not start with another wal_level.
            execute(server.jdbcUrl(), EngineFixture.dropSlot(slot));
        }
        try (EmbeddedPostgres server = server(data, "replica")) {
            RefusalTest.assertRefused(
                    stack, config(stack, server), "wal_level is replica. Set wal_level = logical in postgresql.conf");
        }
    }

    /** More log than {@code max_slot_wal_keep_size} allows, by as few bytes as it takes. */
    private static void exceed(EmbeddedPostgres server) throws SQLException {
        execute(server.jdbcUrl(), "ALTER SYSTEM SET max_slot_wal_keep_size = '16MB'", "SELECT pg_reload_conf()");
        for (int segment = 0; segment < 4; segment++) {
            execute(
                    server.jdbcUrl(DATABASE),
                    "INSERT INTO tailrace.outbox (event_name) VALUES ('in.the-gap')",
                    "SELECT pg_switch_wal()",
                    "CHECKPOINT");
        }
    }

    private static EmbeddedPostgres server(Path data, String walLevel) {
        return EmbeddedPostgres.builder()
                .dataDirectory(data)
                .setting("wal_level", walLevel)
                .setting("max_wal_senders", "5")
                .start();
    }

    private static TailraceConfig config(Stack stack, EmbeddedPostgres server) {
        return EngineFixture.config(stack.namespace(), DATABASE, server.port(), stack.bootstrapServers());
    }

    private static void migrate(String url, Stack stack) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            Schema.migrate(
                    connection,
                    TableNames.DEFAULT,
                    Scope.ALL,
                    Ownership.of(new Namespace(stack.namespace()), DATABASE));
        }
    }

    private static void capture(Stack stack, EmbeddedPostgres server, int rows, int total) throws SQLException {
        try (EngineFixture fixture = new EngineFixture(stack, config(stack, server)).started()) {
            execute(
                    server.jdbcUrl(DATABASE),
                    "INSERT INTO tailrace.outbox (event_name) SELECT 'a.b' FROM generate_series(1, " + rows + ")");
            stack.reader().awaitCount(total, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(from)) {
            all = tree.toList();
        }
        for (Path each : all) {
            Files.copy(each, to.resolve(from.relativize(each).toString()), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
