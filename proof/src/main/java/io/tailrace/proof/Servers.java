package io.tailrace.proof;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.embedded.EmbeddedPostgres;
import io.tailrace.proof.child.BrokerMain;
import io.tailrace.proof.child.Parent;
import io.tailrace.proof.child.Site;
import io.tailrace.proof.load.Workload;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;

/** PostgreSQL, and a broker in a JVM of its own, both on data that outlive their crashes. Not thread-safe. */
public final class Servers implements AutoCloseable {

    private static final String BROKER_HEAP = "512m";

    private final Path directory;
    private final ChildJvms jvms;
    private final Duration patience;
    private final int brokerPort;
    private final EmbeddedPostgres postgres;
    private ChildProcess broker;

    private Servers(Path directory, ChildJvms jvms, Duration patience, EmbeddedPostgres postgres) throws IOException {
        this.directory = directory;
        this.jvms = jvms;
        this.patience = patience;
        this.postgres = postgres;
        this.brokerPort = freePort();
        this.broker = startedBroker();
    }

    /** Starts both, with the tables of {@code tailrace db migrate}. */
    public static Servers start(Path directory, ChildJvms jvms, Duration patience) throws IOException, SQLException {
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .dataDirectory(directory.resolve("postgres"))
                .start();
        Servers servers;
        try {
            servers = new Servers(directory, jvms, patience, postgres);
        } catch (IOException | RuntimeException | Error e) {
            postgres.close();
            throw e;
        }
        try {
            servers.awaitBroker();
            postgres.createDatabase(Site.DATABASE);
            servers.migrate();
            return servers;
        } catch (SQLException | RuntimeException | Error e) {
            servers.close();
            throw e;
        }
    }

    public Site site(int maxBatchSize) {
        return new Site(postgres.port(), brokerPort, maxBatchSize);
    }

    public String jdbcUrl() {
        return postgres.jdbcUrl(Site.DATABASE);
    }

    List<String> rawTopics() {
        Topics topics = site(1).config().topicNames();
        return List.of(topics.rawEvents(), topics.rawCommands());
    }

    /** As the engine would; the control does not. */
    public void createTopics() {
        TailraceConfig config = site(1).config();
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            new TopicKeeper(admin, config.kafka().bootstrapServers(), true)
                    .ensure(new TopicCatalog(config.topicNames(), config.topics()).engine());
        }
    }

    String postgresVersion() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW server_version")) {
            row.next();
            return row.getString(1);
        }
    }

    /** As a crash would: nothing is written down, and the slot goes back to what was. */
    public void crashPostgres() {
        postgres.stopImmediate();
    }

    /** On what the crash has left. */
    public void startPostgres() {
        postgres.start();
    }

    /** Ends the session that holds the lease; whoever has it finds out when he asks. */
    void endLease() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted");
        }
    }

    /** SIGSTOP: it answers nobody, and every connection stays open. */
    public void pauseBroker() {
        broker.pause();
    }

    /** SIGCONT. */
    public void resumeBroker() {
        broker.resume();
    }

    /** SIGKILL. */
    public void killBroker() {
        broker.kill();
    }

    /** Returns when it takes requests. */
    public void startBroker() {
        broker = startedBroker();
        awaitBroker();
    }

    @Override
    public void close() {
        try {
            broker.close();
        } finally {
            postgres.close();
        }
    }

    private ChildProcess startedBroker() {
        return jvms.start(
                "broker",
                BrokerMain.class,
                BROKER_HEAP,
                List.of(directory.resolve("kafka").toString(), Integer.toString(brokerPort)));
    }

    private void awaitBroker() {
        broker.require(0, Parent.UP, patience);
    }

    private void migrate() throws SQLException {
        TailraceConfig config = site(1).config();
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + Workload.EMITTED + " (id uuid)");
            Schema.migrate(
                    connection,
                    config.source().tables(),
                    Scope.ALL,
                    Ownership.of(config.namespace(), config.source().database()));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
