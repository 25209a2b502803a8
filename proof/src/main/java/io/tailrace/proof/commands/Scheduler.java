package io.tailrace.proof.commands;

import io.tailrace.client.Command;
import io.tailrace.client.Commands;
import io.tailrace.client.TailraceClient;
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

/** Commands of one writer, numbered, in whatever transaction is open; every other one by plain SQL. Not thread-safe. */
final class Scheduler {

    private final Commands commands = TailraceClient.create().commands();
    private final int writer;
    private int next;

    /** @param writer whose rows they are; no other one has this number */
    Scheduler(int writer) {
        this.writer = writer;
    }

    /** Schedules one; its id. */
    UUID schedule(Connection connection, @Nullable String key, Duration delay, Job job) throws SQLException {
        int number = next++;
        UUID id = new RowId(Table.COMMAND, writer, number).uuid();
        if (number % 2 == 0) {
            insert(connection, id, key, delay, job);
            return id;
        }
        Command command = Command.of(ExecutorSite.COMMAND).id(id).json(job.json());
        Command keyed = key == null ? command : command.key(key);
        return delay.isZero() ? commands.schedule(connection, keyed) : commands.schedule(connection, keyed, delay);
    }

    void cancel(Connection connection, UUID id) throws SQLException {
        commands.cancel(connection, id);
    }

    private static void insert(Connection connection, UUID id, @Nullable String key, Duration delay, Job job)
            throws SQLException {
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
    }
}
