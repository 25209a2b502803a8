package io.tailrace.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/** What a commit would say, without one. */
final class Constraints {

    private Constraints() {}

    /** @throws SQLException if a deferred constraint is violated */
    static void check(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        }
        // With it goes the mode: what was deferred is deferred again.
        connection.rollback(before);
    }
}
