package io.tailrace.executor.claim;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** The statement that takes back a failure which was stamped before a run; both tables have the same. */
final class Acquittal {

    /** Of a table and the condition that names its row. Locks the row if nobody else has; by the index on its id. */
    private static final String SQL = """
            UPDATE %1$s c SET status = 'PENDING', attempts = ?, reason = ?, last_error = ?,
                not_before = to_timestamp(?::bigint / 1000.0), first_failed_at = to_timestamp(?::bigint / 1000.0),
                failed_at = to_timestamp(?::bigint / 1000.0)
            WHERE c.ctid = (SELECT t.ctid FROM %1$s t
                WHERE %2$s AND t.turn = ? AND t.status IN ('PENDING', 'DEAD')
                    AND t.last_error LIKE 'WorkerDied%%' FOR UPDATE SKIP LOCKED)""";

    /** Where the parameters of the condition begin; after them comes the turn. */
    static final int CONDITION = 7;

    private Acquittal() {}

    static String of(String table, String condition) {
        return SQL.formatted(table, condition);
    }

    static void bind(PreparedStatement statement, CommandRow.Progress before) throws SQLException {
        statement.setInt(1, before.attempts());
        statement.setString(2, before.reason());
        statement.setString(3, before.error());
        statement.setObject(4, before.notBeforeMillis(), Types.BIGINT);
        statement.setObject(5, before.firstFailedMillis(), Types.BIGINT);
        statement.setObject(6, before.failedMillis(), Types.BIGINT);
    }
}
