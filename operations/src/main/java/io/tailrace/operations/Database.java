package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Connections for an operator's few statements: short-lived, autocommitting, with an end to everything. */
final class Database {

    private static final int STATEMENT_TIMEOUT_SECONDS = 30;

    private final SourceConfig source;

    Database(SourceConfig source) {
        this.source = source;
    }

    /** Work with a connection. */
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** @throws OperationFailed naming the database */
    <T> T call(String what, Work<T> work) {
        try (Connection connection = open();
                Statement limit = connection.createStatement()) {
            limit.execute("SET statement_timeout = '" + STATEMENT_TIMEOUT_SECONDS + "s'");
            return work.with(connection);
        } catch (SQLException failed) {
            throw new OperationFailed(
                    "%s in %s at %s:%d failed".formatted(what, source.database(), source.host(), source.port()),
                    failed);
        }
    }

    private Connection open() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", source.user());
        properties.setProperty("password", source.password().reveal());
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", Integer.toString(STATEMENT_TIMEOUT_SECONDS + 10));
        properties.setProperty("ApplicationName", "tailrace operator");
        return DriverManager.getConnection(source.jdbcUrl(), properties);
    }
}
