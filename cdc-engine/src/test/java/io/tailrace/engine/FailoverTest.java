package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.embedded.EmbeddedPostgres;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A primary that dies and a standby that is promoted, both real: the slot is there, and nothing is lost or doubled. */
@RealParts
class FailoverTest {

    private static final String DATABASE = "app";

    @Test
    void aPromotedStandbyIsReadOnFrom(Stack stack, @TempDir Path directory) throws Exception {
        EmbeddedPostgres primary = EmbeddedPostgres.builder()
                .dataDirectory(directory.resolve("primary"))
                .start();
        try (primary;
                TcpProxy proxy = TcpProxy.to("127.0.0.1", primary.port())) {
            try (Connection connection = DriverManager.getConnection(primary.jdbcUrl())) {
                Assumptions.assumeTrue(
                        Integer.parseInt(EngineFixture.query(connection, "SHOW server_version_num")) >= 170_000,
                        "standbys keep slots from PostgreSQL 17 on");
                // The physical slot of the standby, never the engine's own: what the standby has not got is not sent to
                // Kafka.
                execute(
                        connection,
                        "SELECT pg_create_physical_replication_slot('standby_one', true)",
                        "ALTER SYSTEM SET synchronized_standby_slots = 'standby_one'");
            }
            primary.createDatabase(DATABASE);
            try (EmbeddedPostgres standby = standby(primary, directory.resolve("standby"));
                    EngineFixture fixture = new EngineFixture(
                            stack,
                            EngineFixture.config(
                                    stack.namespace(), DATABASE, proxy.port(), stack.bootstrapServers()))) {
                migrate(primary, stack);
                fixture.started().awaitState(Health.State.READY);
                AtomicBoolean enough = new AtomicBoolean();
                CompletableFuture<Void> writer =
                        CompletableFuture.runAsync(() -> writeUntil(enough, primary.jdbcUrl(DATABASE)));
                awaitKept(standby);
                stack.reader().awaitCount(100, EngineFixture.PATIENCE, fixture.topics.rawEvents());

                // Dead in the middle of the writing; what it had not sent to the standby is forgotten, and was not sent
                // to Kafka.
                primary.stopImmediate();
                enough.set(true);
                writer.join();
                fixture.awaitState(Health.State.WAITING);
                try (Connection connection = DriverManager.getConnection(standby.jdbcUrl())) {
                    assertThat(EngineFixture.query(connection, "SELECT pg_promote(true, 60)"))
                            .isEqualTo("t");
                    execute(connection, "ALTER SYSTEM RESET synchronized_standby_slots", "SELECT pg_reload_conf()");
                }
                proxy.retarget(standby.port());
                proxy.cutAll();
                try (Connection connection = DriverManager.getConnection(standby.jdbcUrl(DATABASE))) {
                    execute(connection, "INSERT INTO tailrace.outbox (event_name) VALUES ('after.promotion')");
                    List<String> committed = ids(connection);
                    List<String> read = stack
                            .reader()
                            .await(
                                    "every row",
                                    records -> records.size() >= committed.size(),
                                    EngineFixture.PATIENCE,
                                    fixture.topics.rawEvents())
                            .stream()
                            .map(record -> EngineFixture.header(record, "ce_id"))
                            .toList();
                    assertThat(read).containsExactlyInAnyOrderElementsOf(committed);
                    fixture.awaitState(Health.State.READY);
                    assertThat(EngineFixture.query(
                                    connection, "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"))
                            .as("timeline")
                            .isEqualTo("00000002");
                }
            }
        }
    }

    private static void migrate(EmbeddedPostgres primary, Stack stack) throws SQLException {
        try (Connection connection = DriverManager.getConnection(primary.jdbcUrl(DATABASE))) {
            Schema.migrate(
                    connection,
                    TableNames.DEFAULT,
                    Scope.ALL,
                    Ownership.of(new Namespace(stack.namespace()), DATABASE));
            assertThat(EngineFixture.query(
                            connection, "SELECT failover FROM pg_replication_slots WHERE slot_type = 'logical'"))
                    .as("the migration makes a failover slot")
                    .isEqualTo("t");
        }
    }

    /** A copy of the primary, made while that is stopped, which follows it from then on. */
    private static EmbeddedPostgres standby(EmbeddedPostgres primary, Path data) throws IOException {
        primary.stop();
        copy(primary.dataDirectory(), data);
        Files.createFile(data.resolve("standby.signal"));
        Files.writeString(
                data.resolve("postgresql.auto.conf"), """
                primary_conninfo = 'host=127.0.0.1 port=%d user=postgres dbname=postgres'
                primary_slot_name = 'standby_one'
                hot_standby_feedback = on
                sync_replication_slots = on
                """.formatted(primary.port()), StandardOpenOption.APPEND);
        primary.start();
        return EmbeddedPostgres.builder().dataDirectory(data).start();
    }

    private static void copy(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> walked = Files.walk(from)) {
            all = walked.toList();
        }
        for (Path one : all) {
            Files.copy(one, to.resolve(from.relativize(one).toString()));
        }
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
    }

    private static void awaitKept(EmbeddedPostgres standby) throws SQLException {
        try (Connection connection = DriverManager.getConnection(standby.jdbcUrl())) {
            await().alias("the standby keeps the slot")
                    .atMost(EngineFixture.PATIENCE.multipliedBy(2))
                    .until(() -> EngineFixture.query(
                                    connection,
                                    "SELECT coalesce(bool_and(synced AND NOT temporary), false)"
                                            + " FROM pg_replication_slots WHERE slot_type = 'logical'")
                            .equals("t"));
        }
    }

    private static void writeUntil(AtomicBoolean enough, String url) {
        try (Connection connection = DriverManager.getConnection(url)) {
            while (!enough.get()) {
                execute(connection, "INSERT INTO tailrace.outbox (event_name) VALUES ('a.b'), ('c.d')");
                // It writes for as long as the standby takes its time; all of it has to be counted.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        } catch (SQLException gone) {
            // The primary has died: that is the point.
        }
    }

    private static List<String> ids(Connection connection) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id::text FROM tailrace.outbox")) {
            while (row.next()) {
                ids.add(row.getString(1));
            }
        }
        return ids;
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
