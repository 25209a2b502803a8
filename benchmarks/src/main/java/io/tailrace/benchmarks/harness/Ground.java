package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender.Outbox;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;

/**
 * A PostgreSQL server with the outbox of one kind, once to get warm with and once to be measured with. Each kind has a server of its
 * own: no contender's server reads another's rows out of the log only to throw them away.
 */
public final class Ground implements AutoCloseable {

    private final EmbeddedPostgres server;
    private final SiteTables warm;
    private final SiteTables bench;

    private Ground(EmbeddedPostgres server, Outbox outbox) {
        this.server = server;
        this.warm = site(Site.WARM, outbox);
        this.bench = site(Site.BENCH, outbox);
    }

    /** Starts the server: durable, and with nothing that would set in by itself in the middle of a drain. */
    static Ground start(Outbox outbox) throws SQLException {
        Ground ground = new Ground(
                EmbeddedPostgres.builder()
                        .setting("autovacuum", "off")
                        .setting("checkpoint_timeout", "1h")
                        .setting("max_wal_size", "64GB")
                        .start(),
                outbox);
        try {
            ground.warm.create();
            ground.bench.create();
            return ground;
        } catch (SQLException | RuntimeException e) {
            ground.close();
            throw e;
        }
    }

    private SiteTables site(Site site, Outbox outbox) {
        server.createDatabase(site.database());
        return new SiteTables(site, outbox, server.jdbcUrl(site.database()));
    }

    int port() {
        return server.port();
    }

    /** Where contenders get warm. */
    SiteTables warm() {
        return warm;
    }

    /** Where is measured. */
    public SiteTables bench() {
        return bench;
    }

    /** Writes what drains will carry. */
    public void fill(int warmRows, int rows, Shape shape) throws SQLException {
        warm.beginHere();
        warm.fill(warmRows, shape);
        bench.beginHere();
        bench.fill(rows, shape);
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        }
    }

    /** Gives the next contender its slots. */
    public void makeSlots() throws SQLException {
        warm.makeSlot();
        bench.makeSlot();
    }

    /** As the server itself says. */
    public String version() throws SQLException {
        return ask("SHOW server_version", answer -> answer);
    }

    /** The server's first process, the parent of all others; 0 if the system does not tell. */
    long postmaster() throws SQLException {
        // While the session is there, and so its process.
        return ask(
                "SELECT pg_backend_pid()",
                answer -> ProcessHandle.of(Long.parseLong(answer))
                        .flatMap(ProcessHandle::parent)
                        .map(ProcessHandle::pid)
                        .orElse(0L));
    }

    private <T> T ask(String question, Function<String, T> reading) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return reading.apply(row.getString(1));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
