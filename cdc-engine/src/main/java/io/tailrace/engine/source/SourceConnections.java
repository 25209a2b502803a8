package io.tailrace.engine.source;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;

/** Opens direct connections to a source. Nothing here goes through a pooler: a lease and a stream belong to one backend. */
public final class SourceConnections {

    /** Nothing asked of a healthy server on these connections takes so long, and a stop must not wait longer. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final SourceConfig source;

    /** Connections to that database, as that user. */
    public SourceConnections(SourceConfig source) {
        this.source = Objects.requireNonNull(source);
    }

    /** For SQL; autocommit. */
    Connection sql(String applicationName) throws SQLException {
        return DriverManager.getConnection(source.jdbcUrl(), properties(applicationName));
    }

    /** For replication commands, which take no parameters and no extended protocol. */
    Connection replication(String applicationName) throws SQLException {
        Properties properties = properties(applicationName);
        properties.setProperty("replication", "database");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("assumeMinServerVersion", "15");
        return DriverManager.getConnection(source.jdbcUrl(), properties);
    }

    private Properties properties(String applicationName) {
        Properties properties = new Properties();
        properties.setProperty("user", source.user());
        if (!source.password().reveal().isEmpty()) {
            properties.setProperty("password", source.password().reveal());
        }
        properties.setProperty("ApplicationName", applicationName);
        properties.setProperty("connectTimeout", Long.toString(CONNECT_TIMEOUT.toSeconds()));
        properties.setProperty("socketTimeout", Long.toString(SOCKET_TIMEOUT.toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }
}
