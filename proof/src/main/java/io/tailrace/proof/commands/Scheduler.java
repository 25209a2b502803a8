package io.tailrace.proof.commands;

import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Job;
import io.tailrace.proof.load.RowId;
import io.tailrace.proof.load.RowId.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Commands of one writer, numbered, in whatever transaction is open, by plain SQL as anybody may. Not thread-safe. */
final class Scheduler {

    private final int writer;
    private int next;

    /** @param writer whose rows they are; no other one has this number */
    Scheduler(int writer) {
        this.writer = writer;
    }

    /** Schedules one; its id. */
    UUID schedule(Connection connection, @Nullable String key, Duration delay, Job job) throws SQLException {
        UUID id = new RowId(Table.COMMAND, writer, next++).uuid();
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, payload, run_at)"
                        + " VALUES (?, ?, ?, ?::json, now() + ? * interval '1 ms')")) {
            statement.setObject(1, id);
            statement.setString(2, ExecutorSite.COMMAND);
            statement.setString(3, key);
            statement.setString(4, job.json());
            statement.setLong(5, delay.toMillis());
            statement.executeUpdate();
        }
        return id;
    }

    /** Sees to it that one never runs, if it is not too late. */
    void cancel(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT tailrace.cancel_command(?)")) {
            statement.setObject(1, id);
            statement.execute();
        }
    }
}
