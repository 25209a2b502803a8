package io.tailrace.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStackTest {

    @TempDir
    private Path directory;

    @Test
    void dataAndPortsOutliveACrashOfTheDatabaseARestartAndTheWholeStack() throws Exception {
        int postgresPort;
        int brokerPort;
        try (EmbeddedStack stack = EmbeddedStack.start(directory, 0, 0, true)) {
            postgresPort = stack.postgres().port();
            brokerPort = stack.broker().port();
            stack.postgres().createDatabase("shop");
            execute(stack, "CREATE TABLE kept AS SELECT 1 AS n");
            createTopic(stack, "kept");

            stack.postgres().stopImmediate();
            stack.postgres().start();
            execute(stack, "INSERT INTO kept SELECT 2");
            stack.postgres().restart();
            stack.broker().restart();

            assertThat(List.of(stack.postgres().port(), stack.broker().port()))
                    .containsExactly(postgresPort, brokerPort);
            assertThat(query(stack, "SELECT count(*) FROM kept")).isEqualTo("2");
            assertThat(topics(stack)).contains("kept");
            stack.postgres().close();
        }
        try (EmbeddedStack again = EmbeddedStack.start(directory, postgresPort, brokerPort, false)) {
            assertThat(query(again, "SELECT count(*) FROM kept")).isEqualTo("2");
            assertThat(topics(again)).contains("kept");
        }
    }

    @Test
    void aCommitIsDurableAndTheLogIsLogical() throws Exception {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.builder().setting("max_connections", "50").start()) {
            postgres.createDatabase("shop");
            postgres.createDatabase("shop");
            for (Map.Entry<String, String> expected : Map.of(
                            "wal_level",
                            "logical",
                            "fsync",
                            "on",
                            "synchronous_commit",
                            "on",
                            "full_page_writes",
                            "on",
                            "max_prepared_transactions",
                            "50",
                            "max_replication_slots",
                            "20",
                            "max_connections",
                            "50")
                    .entrySet()) {
                assertThat(query(postgres.jdbcUrl("shop"), "SHOW " + expected.getKey()))
                        .as(expected.getKey())
                        .isEqualTo(expected.getValue());
            }
        }
    }

    @Test
    void whatIsInTheWayIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> EmbeddedPostgres.builder().port(port).start())
                    .isInstanceOf(EmbeddedStartException.class)
                    .hasMessageContaining("Port " + port + " for PostgreSQL is in use");
            assertThatThrownBy(() -> EmbeddedStack.start(directory, 0, port, true))
                    .isInstanceOf(EmbeddedStartException.class)
                    .hasMessageContaining("Port " + port + " for Kafka is in use");
        }
        Path old = Files.createDirectory(directory.resolve("old"));
        Files.writeString(old.resolve("PG_VERSION"), "9\n");
        assertThatThrownBy(() -> EmbeddedPostgres.builder().dataDirectory(old).start())
                .isInstanceOf(EmbeddedStartException.class)
                .hasMessageContaining("made by PostgreSQL 9");
    }

    @Test
    void aServerLeftBehindByAKilledProcessIsStoppedFirst() throws Exception {
        EmbeddedPostgres orphan =
                EmbeddedPostgres.builder().dataDirectory(directory).start();
        execute(orphan.jdbcUrl(), "CREATE TABLE kept AS SELECT 1 AS n");
        try (EmbeddedPostgres successor =
                EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            assertThat(query(successor.jdbcUrl(), "SELECT count(*) FROM kept")).isEqualTo("1");
        } finally {
            orphan.close();
        }
    }

    @Test
    void twoBrokersOnOneDirectoryAreRefusedAndTheJvmLivesOn() {
        try (EmbeddedBroker first =
                EmbeddedBroker.builder().dataDirectory(directory).start()) {
            assertThatThrownBy(() ->
                            EmbeddedBroker.builder().dataDirectory(directory).start())
                    .isInstanceOf(EmbeddedStartException.class)
                    .hasMessageContaining(directory.toString());
            assertThat(first.isRunning()).isTrue();
        }
    }

    @Test
    void aBrokerThatGivesUpIsAnExceptionAndNotTheEndOfTheJvm() throws Exception {
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().dataDirectory(directory).start()) {
            broker.stop();
            Files.writeString(directory.resolve("__cluster_metadata-0").resolve("quorum-state"), "not a quorum");
            assertThatThrownBy(broker::start)
                    .isInstanceOf(EmbeddedStartException.class)
                    .hasMessageContaining(directory.toString());
        }
    }

    private static Set<String> topics(EmbeddedStack stack) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.broker().bootstrapServers()))) {
            return admin.listTopics().names().get();
        }
    }

    private static void createTopic(EmbeddedStack stack, String name) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.broker().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(name, 3, (short) 1))).all().get();
        }
    }

    private static void execute(EmbeddedStack stack, String sql) throws Exception {
        execute(stack.postgres().jdbcUrl("shop"), sql);
    }

    private static void execute(String url, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.createStatement().execute(sql);
        }
    }

    private static String query(EmbeddedStack stack, String sql) throws Exception {
        return query(stack.postgres().jdbcUrl("shop"), sql);
    }

    private static String query(String url, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                var rows = connection.createStatement().executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
