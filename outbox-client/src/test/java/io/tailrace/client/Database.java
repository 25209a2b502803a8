package io.tailrace.client;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.Stack;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A migrated database, and connections as a careful application would lend them. */
final class Database {

    private static final Set<String> FORBIDDEN =
            Set.of("commit", "rollback", "close", "abort", "setAutoCommit", "setSavepoint", "setTransactionIsolation");

    private Database() {}

    static void migrate(Stack stack, String... roles) throws SQLException {
        migrate(stack, TableNames.DEFAULT, roles);
    }

    static void migrate(Stack stack, TableNames tables, String... roles) throws SQLException {
        try (Connection connection = stack.connect()) {
            Schema.migrate(connection, tables, Scope.ALL, ownership(stack), List.of(roles));
        }
    }

    static Ownership ownership(Stack stack) {
        return Ownership.of(new Namespace(stack.namespace()), stack.database());
    }

    /** In a transaction; the test commits or rolls back. */
    static Connection begin(Stack stack) throws SQLException {
        Connection connection = stack.connect();
        // What waits where it should not is a failure, not a build that hangs.
        rows(connection, "SELECT set_config('statement_timeout', '20s', false)");
        connection.setAutoCommit(false);
        return connection;
    }

    static Connection connectAs(Stack stack, String role) throws SQLException {
        return DriverManager.getConnection(stack.jdbcUrl().replace("user=postgres", "user=" + role));
    }

    /** The same connection, but whoever ends or changes its transaction fails. */
    static Connection lent(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (FORBIDDEN.contains(method.getName())) {
                        throw new AssertionError(method.getName() + " was called on a connection that is only lent");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    static List<String> rows(Stack stack, String query) throws SQLException {
        try (Connection connection = stack.connect()) {
            return rows(connection, query);
        }
    }

    /** All rows, columns joined by {@code |}, a NULL as {@code null}. */
    static List<String> rows(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(rows.getString(i)));
                }
                all.add(String.join("|", row));
            }
            return all;
        }
    }

    static String value(Stack stack, String query) throws SQLException {
        return rows(stack, query).get(0);
    }
}
