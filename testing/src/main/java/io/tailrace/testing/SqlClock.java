package io.tailrace.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Lets {@code now()} and {@code clock_timestamp()} of a session tell another time, without anything that a production database has: two functions
 * of those names in a schema of the test's own, which stands before {@code pg_catalog} in the search path for as long as a handler runs. Delays that
 * the client schedules are counted from {@code clock_timestamp()}, so they follow. Defaults of columns, {@code CURRENT_TIMESTAMP} and
 * functions with a search path of their own keep the true time.
 */
final class SqlClock {

    private static final String SCHEMA = "tailrace_testing";

    private static final String AHEAD = SCHEMA + ".ahead";

    private static final String[] MAKE = {
        "CREATE SCHEMA IF NOT EXISTS " + SCHEMA,
        "GRANT USAGE ON SCHEMA " + SCHEMA + " TO PUBLIC",
        function("clock_timestamp", "VOLATILE", "clock_timestamp"),
        function("now", "STABLE", "transaction_timestamp"),
        function("transaction_timestamp", "STABLE", "transaction_timestamp"),
        function("statement_timestamp", "STABLE", "statement_timestamp"),
    };

    private SqlClock() {}

    private static String function(String name, String volatility, String real) {
        return "CREATE OR REPLACE FUNCTION " + SCHEMA + "." + name + "() RETURNS timestamptz LANGUAGE sql " + volatility
                + " AS $$ SELECT pg_catalog." + real + "() + current_setting('" + AHEAD + "')::interval $$";
    }

    /** Makes the functions, where they are not yet. */
    static void install(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(
                    "SELECT to_regprocedure('" + SCHEMA + ".statement_timestamp()') IS NOT NULL")) {
                row.next();
                if (row.getBoolean(1)) {
                    return;
                }
            }
            for (String sql : MAKE) {
                statement.execute(sql);
            }
        }
    }

    /** What is done meanwhile. */
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** The session is so far ahead while this is done. */
    static <T, E extends Exception> T during(Connection connection, Duration ahead, Work<T, E> work)
            throws E, SQLException {
        String before = set(connection, ahead);
        T result;
        try {
            result = work.run();
        } catch (Throwable thrown) {
            try {
                restore(connection, before);
            } catch (SQLException gone) {
                // A transaction that is of no more use takes the setting with it.
                thrown.addSuppressed(gone);
            }
            throw thrown;
        }
        restore(connection, before);
        return result;
    }

    /** Returns the search path as it was. */
    private static String set(Connection connection, Duration ahead) throws SQLException {
        String before;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('search_path')")) {
            row.next();
            before = row.getString(1);
        }
        config(connection, AHEAD, ahead.toString());
        restore(connection, SCHEMA + ", pg_catalog" + (before.isBlank() ? "" : ", " + before));
        return before;
    }

    private static void restore(Connection connection, String searchPath) throws SQLException {
        config(connection, "search_path", searchPath);
    }

    private static void config(Connection connection, String name, String value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_catalog.set_config(?, ?, true)")) {
            statement.setString(1, name);
            statement.setString(2, value);
            statement.execute();
        }
    }
}
