package io.tailrace.proof.count;

import io.tailrace.proof.count.Tally.Of;
import io.tailrace.proof.load.RowId;
import io.tailrace.proof.load.Workload;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** What the tables hold in the end. */
public final class Tables {

    /** Beyond any writer's number. */
    private static final int MARKER_WRITER = 999;

    private static final int FETCH = 10_000;

    private final String jdbcUrl;

    /** The tables of the database there. */
    public Tables(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
    }

    /** Commits a row after all others; who has read it in commit order has been shown all that he will be. */
    public RowId mark(int number) throws SQLException {
        RowId marker = new RowId(RowId.Table.OUTBOX, MARKER_WRITER, number);
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                PreparedStatement statement = connection.prepareStatement(
                        "INSERT INTO tailrace.outbox (id, event_name, ordering_key) VALUES (?::uuid, 'proof.end', 'end')")) {
            statement.setString(1, marker.uuid().toString());
            statement.executeUpdate();
        }
        return marker;
    }

    /** Tells of every row, and of every cancellation: whatever changed a command's state has said so in a message. */
    public void tell(Tally tally) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false); // or the driver would fetch all at once
            statement.setFetchSize(FETCH);
            each(statement, "SELECT id FROM tailrace.outbox", tally, Of.ROW);
            each(statement, "SELECT id FROM " + Workload.EMITTED, tally, Of.ROW);
            each(statement, "SELECT id FROM tailrace.internal_command", tally, Of.ROW);
            each(
                    statement,
                    "SELECT id FROM tailrace.internal_command WHERE status = 'CANCELLED'",
                    tally,
                    Of.CANCELLATION);
        }
    }

    private static void each(Statement statement, String query, Tally tally, Of of) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                tally.committed(row.getObject(1, UUID.class), of);
            }
        }
    }
}
