package io.tailrace.operations.upkeep;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The right to keep a source up: a session advisory lock of its database. The work is done in the session that holds the lock, so who has
 * lost the one cannot do the other. A holder that stands still loses the session when it has said nothing for longer than it ever does.
 * Used by one thread.
 */
final class Duty implements AutoCloseable {

    /** Beyond the longest silence between two passes. */
    private static final Duration MARGIN = Duration.ofMinutes(5);

    private static final String STATEMENT_TIMEOUT = "30s";

    private static final int SOCKET_TIMEOUT_SECONDS = 45;

    private static final String LOCK = "SELECT pg_try_advisory_lock(hashtextextended(?, 0))";

    private final SourceConfig source;
    private final Duration silence;
    private @Nullable Connection held;

    /** @param silence the longest time between two uses */
    Duty(SourceConfig source, Duration silence) {
        this.source = source;
        this.silence = silence.plus(MARGIN);
    }

    /** The session that holds the lock, which commits by itself; empty while another instance has it. */
    Optional<Connection> take() throws SQLException {
        Connection connection = held;
        if (connection != null && connection.isValid(5)) {
            return Optional.of(connection);
        }
        close();
        connection = open();
        try {
            if (lock(connection)) {
                held = connection;
                return Optional.of(connection);
            }
        } catch (SQLException failed) {
            connection.close();
            throw failed;
        }
        connection.close();
        return Optional.empty();
    }

    /** Gives it back, in whatever state the session is. */
    @Override
    public void close() {
        Connection connection = held;
        held = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException gone) {
                // It was lost already: then so is the lock.
                held = null;
            }
        }
    }

    private boolean lock(Connection connection) throws SQLException {
        try (Statement settings = connection.createStatement()) {
            settings.execute("SET statement_timeout = '" + STATEMENT_TIMEOUT + "'");
            settings.execute("SET idle_session_timeout = " + silence.toMillis());
            // A walk begins at the first page, and a row that a policy hides must not be taken for one that is not
            // there.
            settings.execute("SET synchronize_seqscans = off");
            settings.execute("SET row_security = off");
        }
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setString(1, "tailrace upkeep of " + source.tables().schema());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private Connection open() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", source.user());
        properties.setProperty("password", source.password().reveal());
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", Integer.toString(SOCKET_TIMEOUT_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "tailrace upkeep");
        return DriverManager.getConnection(source.jdbcUrl(), properties);
    }
}
