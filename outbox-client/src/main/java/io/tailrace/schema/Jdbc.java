package io.tailrace.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The few forms in which this package talks to a database. */
final class Jdbc {

    /** Reads one row. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Something that runs within a transaction. */
    interface Work {
        void run() throws SQLException;
    }

    private Jdbc() {}

    static <T> List<T> list(Connection connection, String sql, Reader<T> reader, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(reader.read(rows));
                }
                return all;
            }
        }
    }

    static <T> Optional<T> first(Connection connection, String sql, Reader<T> reader, Object... parameters)
            throws SQLException {
        return list(connection, sql, reader, parameters).stream().findFirst();
    }

    static boolean exists(Connection connection, String sql, Object... parameters) throws SQLException {
        return !list(connection, sql, row -> true, parameters).isEmpty();
    }

    /** Any number of statements, separated by semicolons. */
    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        }
    }

    /** All or nothing, on a connection in autocommit mode, which is in that mode again afterwards. */
    static void transaction(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run();
            connection.commit();
        } catch (SQLException | RuntimeException | Error failure) {
            try {
                connection.rollback();
            } catch (SQLException second) {
                failure.addSuppressed(second);
            }
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
