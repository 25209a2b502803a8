package io.tailrace.system;

import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Result;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row into the test's own table and then does what the payload says: the handler of every test, in this JVM and in children,
 * found by ServiceLoader. What may go wrong goes wrong after the write, so that a write that is not taken back is seen.
 */
public final class EffectHandler implements CommandHandler {

    static final String NAME = "shop.work";

    /**
     * What a command asks for.
     *
     * @param n number within its key
     * @param sleepMs the run takes at least so long
     * @param fail so many first attempts throw
     * @param unless throws until this switch is on
     * @param rejectUnless answers that it may never be tried again, unless this switch is on
     * @param lock waits for this advisory lock of the database
     */
    record Job(
            int n,
            int sleepMs,
            int fail,
            @Nullable String unless,
            @Nullable String rejectUnless,
            @Nullable Integer lock) {}

    @Override
    public Set<String> names() {
        return Set.of(NAME);
    }

    @Override
    public Result handle(CommandContext command) throws Exception {
        Job job = command.payloadAs(Job.class);
        Connection connection = command.connection();
        write(command, job);
        if (job.sleepMs() > 0) {
            call(connection, "SELECT pg_sleep(" + job.sleepMs() / 1000.0 + ")");
        }
        if (job.lock() != null) {
            call(connection, "SELECT pg_advisory_xact_lock(" + job.lock() + ")");
        }
        if (command.attempt() <= job.fail()) {
            throw new IllegalStateException("attempt " + command.attempt() + " fails as it was told");
        }
        if (job.unless() != null && !isOn(connection, job.unless())) {
            throw new IllegalStateException("switch " + job.unless() + " is off");
        }
        if (job.rejectUnless() != null && !isOn(connection, job.rejectUnless())) {
            return Result.rejected("switch " + job.rejectUnless() + " is off");
        }
        return Result.success();
    }

    private static void write(CommandContext command, Job job) throws SQLException {
        try (PreparedStatement statement = command.connection()
                .prepareStatement(
                        "INSERT INTO app.effect (command_id, key, n, attempt, tenant_id) VALUES (?, ?, ?, ?, ?)")) {
            statement.setObject(1, command.id());
            statement.setString(2, command.orderingKey().orElse(null));
            statement.setInt(3, job.n());
            statement.setInt(4, command.attempt());
            statement.setString(5, command.origin().tenantId());
            statement.executeUpdate();
        }
    }

    private static boolean isOn(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT FROM app.switch WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void call(Connection connection, String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.execute();
        }
    }
}
