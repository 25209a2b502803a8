package io.tailrace.engine.source;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens direct connections to a source. Nothing here goes through a pooler: a lease and a stream belong to one backend.
 *
 * <p>Thread-safe. A call on a connection cannot be interrupted, and against a server that says nothing it takes as long as its
 * timeout; {@link #abort} ends all that are under way, so that a stop does not wait for them.
 */
public final class SourceConnections {

    /** Nothing asked of a healthy server on these connections takes so long, and a stop must not wait longer. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(5);

    private static final String CONNECTION_FAILED = "08001";

    private static final Logger LOG = LoggerFactory.getLogger(SourceConnections.class);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final SourceConfig source;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean aborted;

    /** Connections to that database, as that user. */
    public SourceConnections(SourceConfig source) {
        this.source = Objects.requireNonNull(source);
    }

    /** For SQL; autocommit. */
    Connection sql(String applicationName) throws SQLException {
        return open(properties(applicationName));
    }

    /** For what may take as long as it takes; a vanished server is found out by TCP. */
    Connection patient(String applicationName) throws SQLException {
        Properties properties = properties(applicationName);
        properties.setProperty("socketTimeout", "0");
        return DriverManager.getConnection(source.jdbcUrl(), properties);
    }

    /** For replication commands, which take no parameters and no extended protocol. */
    Connection replication(String applicationName) throws SQLException {
        return replication(properties(applicationName));
    }

    /** For the replication command that waits for the transactions that are open. */
    Connection patientReplication(String applicationName) throws SQLException {
        Properties properties = properties(applicationName);
        properties.setProperty("socketTimeout", "0");
        return replication(properties);
    }

    private Connection replication(Properties properties) throws SQLException {
        properties.setProperty("replication", "database");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("assumeMinServerVersion", "15");
        return open(properties);
    }

    /** Ends whatever is asked or opened now, and lets nothing be opened any more. */
    public void abort() {
        aborted = true;
        open.forEach(SourceConnections::abort);
        open.clear();
    }

    /** Takes a connection out of what {@link #abort} ends: a stop in order still needs it. */
    void keep(Connection connection) {
        open.remove(connection);
    }

    private Connection open(Properties properties) throws SQLException {
        if (aborted) {
            throw closing();
        }
        Connection connection;
        try {
            connection = DriverManager.getConnection(source.jdbcUrl(), properties);
        } catch (RuntimeException interrupted) {
            // What the driver throws when its wait for a connection is interrupted.
            throw new SQLException("no connection: " + interrupted.getMessage(), CONNECTION_FAILED, interrupted);
        }
        for (Connection old : open) {
            if (old.isClosed()) {
                open.remove(old);
            }
        }
        open.add(connection);
        // Between the first look and the entry in the list.
        if (aborted) {
            abort(connection);
            throw closing();
        }
        return connection;
    }

    private static SQLException closing() {
        return new SQLException("the engine is closing", CONNECTION_FAILED);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("A connection could not be broken off", e);
        }
    }

    private Properties properties(String applicationName) {
        Properties properties = new Properties();
        properties.setProperty("user", source.user());
        if (!source.password().reveal().isEmpty()) {
            properties.setProperty("password", source.password().reveal());
        }
        properties.setProperty("ApplicationName", applicationName);
        properties.setProperty("connectTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        // With it the driver connects on a thread of its own, and the wait for that can be interrupted.
        properties.setProperty("loginTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        properties.setProperty("socketTimeout", Long.toString(SOCKET_TIMEOUT.toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }
}
