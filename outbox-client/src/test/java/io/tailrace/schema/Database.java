package io.tailrace.schema;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What the tests of this package do to a database. */
final class Database {

    private Database() {}

    static Ownership ownership(Stack stack) {
        return Ownership.of(new Namespace(stack.namespace()), stack.database());
    }

    static MigrationReport migrate(Stack stack) throws SQLException {
        return migrate(stack, TableNames.DEFAULT, Scope.ALL);
    }

    static MigrationReport migrate(Stack stack, TableNames tables, Scope scope) throws SQLException {
        try (Connection connection = stack.connect()) {
            return Schema.migrate(connection, tables, scope, ownership(stack));
        }
    }

    static List<Difference> differences(Stack stack) throws SQLException {
        try (Connection connection = stack.connect()) {
            return Schema.differences(connection, TableNames.DEFAULT);
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
        try (Connection connection = stack.connect()) {
            return rows(connection, query).get(0);
        }
    }

    /** As psql runs a script: transaction by transaction, and to the end of the first failure. */
    static void runScript(Stack stack, String script) throws SQLException {
        try (Connection connection = stack.connect()) {
            for (String part : script.split("(?m)^(?=BEGIN;$)|(?<=^COMMIT;$)")) {
                if (!part.isBlank()) {
                    Jdbc.run(connection, part.replaceAll("(?m)^(BEGIN|COMMIT);$", ""));
                }
            }
        }
    }
}
