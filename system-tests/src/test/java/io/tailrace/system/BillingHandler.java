package io.tailrace.system;

import io.tailrace.executor.handler.EventContext;
import io.tailrace.executor.handler.EventHandler;
import io.tailrace.executor.handler.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row into the test's own table and then does what the payload says. In children it is found by ServiceLoader, where {@link #provided}
 * stands on the class path: everywhere else it would work for a subscription that there is not.
 */
public final class BillingHandler implements EventHandler {

    static final String BILLING = "billing";

    /**
     * What an event asks for.
     *
     * @param n number within its key
     * @param sleepMs the run takes at least so long
     * @param fail so many first attempts throw
     * @param unless throws until this switch is on
     * @param needs what it depends on is unavailable until this switch is on
     */
    record Job(
            int n,
            int sleepMs,
            int fail,
            @Nullable String unless,
            @Nullable String needs) {}

    @Override
    public String subscription() {
        return BILLING;
    }

    @Override
    public Result handle(EventContext event) throws Exception {
        Job job = event.payloadAs(Job.class);
        try (PreparedStatement insert = event.connection()
                .prepareStatement("INSERT INTO app.effect (command_id, key, n, attempt) VALUES (?, ?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, event.orderingKey().orElse(null));
            insert.setInt(3, job.n());
            insert.setInt(4, event.attempt());
            insert.executeUpdate();
        }
        if (job.sleepMs() > 0) {
            try (PreparedStatement sleep = event.connection().prepareStatement("SELECT pg_sleep(? / 1000.0)")) {
                sleep.setInt(1, job.sleepMs());
                sleep.execute();
            }
        }
        if (event.attempt() <= job.fail()) {
            throw new IllegalStateException("attempt " + event.attempt() + " fails as it was told");
        }
        if (job.unless() != null && !isOn(event.connection(), job.unless())) {
            return Result.failure("switch " + job.unless() + " is off");
        }
        return job.needs() != null && !isOn(event.connection(), job.needs())
                ? Result.unavailable(job.needs(), Duration.ofSeconds(1))
                : Result.success();
    }

    private static boolean isOn(Connection connection, String name) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT FROM app.switch WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** A directory that names this handler to a ServiceLoader. */
    static Path provided(Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(EventHandler.class.getName()), BillingHandler.class.getName());
        return directory;
    }
}
