package io.tailrace.cli;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** One connection to the configured database. */
final class SourceConnection {

    private SourceConnection() {}

    static Connection open(SourceConfig source) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", source.user());
        properties.setProperty("password", source.password().reveal());
        properties.setProperty("connectTimeout", "5");
        // Of the whole login: a server that accepts and then says nothing is as good as none.
        properties.setProperty("loginTimeout", "10");
        properties.setProperty("ApplicationName", "tailrace");
        return DriverManager.getConnection(source.jdbcUrl(), properties);
    }
}
