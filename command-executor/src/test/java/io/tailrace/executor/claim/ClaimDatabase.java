package io.tailrace.executor.claim;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;

/** The database of a test of claims. */
final class ClaimDatabase {

    private ClaimDatabase() {}

    static void migrate(Stack stack, Scope scope) throws SQLException {
        try (Connection connection = stack.connect()) {
            Schema.migrate(
                    connection,
                    TableNames.DEFAULT,
                    scope,
                    Ownership.of(new Namespace(stack.namespace()), stack.database()));
        }
    }

    /** Each in a transaction that its user ends. */
    static Connection open(Stack stack) throws SQLException {
        Connection connection = stack.connect();
        connection.setAutoCommit(false);
        return connection;
    }
}
