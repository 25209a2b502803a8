package io.tailrace.proof.router;

import io.tailrace.proof.load.RowId;
import io.tailrace.proof.load.RowId.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Rows of one writer, numbered, in whatever transaction is open. Not thread-safe. */
final class Inserts {

    /** More than the destination of {@link Names#SMALL} takes, until it is mended. */
    private static final String LARGE = "x".repeat(3_000);

    private final int writer;
    private final int[] next = new int[Table.values().length];

    Inserts(int writer) {
        this.writer = writer;
    }

    /** An event; its id. */
    String event(Connection connection, String name, @Nullable String key, boolean large) throws SQLException {
        RowId row = take(Table.OUTBOX);
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO tailrace.outbox (id, event_name, ordering_key, payload) VALUES (?::uuid, ?, ?, ?::json)")) {
            statement.setString(1, row.uuid().toString());
            statement.setString(2, name);
            statement.setString(3, key);
            statement.setString(4, "{\"number\": %d, \"more\": \"%s\"}".formatted(row.number(), large ? LARGE : ""));
            statement.executeUpdate();
        }
        return row.uuid().toString();
    }

    /**
     * A command; its id.
     *
     * @param inMillis when it is due; 0 for at once
     * @param job what its handler is told
     */
    String command(Connection connection, @Nullable String key, long inMillis, Work.Job job) throws SQLException {
        RowId row = take(Table.COMMAND);
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, payload, run_at)"
                        + " VALUES (?::uuid, ?, ?, ?::json, now() + ? * interval '1 ms')")) {
            statement.setString(1, row.uuid().toString());
            statement.setString(2, Names.COMMAND);
            statement.setString(3, key);
            statement.setString(4, job.json());
            statement.setLong(5, inMillis);
            statement.executeUpdate();
        }
        return row.uuid().toString();
    }

    private RowId take(Table table) {
        return new RowId(table, writer, next[table.ordinal()]++);
    }
}
