package io.tailrace.proof.router;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.proof.ProofStuck;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The commands' executor, in this JVM, which is not killed: it answers the lanes of the router, and notes what it has done in a table,
 * in the order of doing it.
 */
final class Work implements AutoCloseable {

    private static final String EFFECTS = "proof_effect";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String jdbcUrl;
    private final CommandExecutor executor;
    private volatile boolean mended;

    /**
     * What a command is told.
     *
     * @param fail so many first attempts fail
     * @param reject it is given up at once, until {@link Work#mend}
     */
    record Job(int fail, boolean reject) {

        static final Job WELL = new Job(0, false);

        String json() {
            return "{\"fail\": %d, \"reject\": %s}".formatted(fail, reject);
        }
    }

    private Work(String jdbcUrl, TailraceConfig config, Clock clock) {
        this.jdbcUrl = jdbcUrl;
        this.executor = new CommandExecutor(config, Handlers.of(new Handler()), new SimpleMeterRegistry(), clock);
    }

    /** Makes its table, and starts. */
    static Work start(String jdbcUrl, TailraceConfig config, Clock clock) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + EFFECTS + " (n bigint GENERATED ALWAYS AS IDENTITY, command_id uuid)");
        }
        Work work = new Work(jdbcUrl, config, clock);
        work.executor.start();
        return work;
    }

    /** From now on nothing is rejected. */
    void mend() {
        mended = true;
    }

    /** Waits until no command is pending that is not far ahead; says whether it was in time. */
    boolean awaitDone(Duration patience) throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (pending() > 0) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    /** Ids of commands, in the order of what they have done. */
    List<String> effects() throws SQLException {
        List<String> ids = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT command_id::text FROM " + EFFECTS + " ORDER BY n")) {
            while (row.next()) {
                ids.add(row.getString(1));
            }
        }
        return ids;
    }

    @Override
    public void close() {
        executor.close();
    }

    private long pending() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT count(*) FROM tailrace.internal_command
                        WHERE status = 'PENDING' AND run_at < now() + interval '1 hour'""")) {
            if (!row.next()) {
                throw new ProofStuck("a count has no row");
            }
            return row.getLong(1);
        }
    }

    private final class Handler implements CommandHandler {

        @Override
        public Set<String> names() {
            return Set.of(Names.COMMAND);
        }

        @Override
        public Result handle(CommandContext command) throws Exception {
            Job job = command.payloadAs(Job.class);
            // Before it fails: an effect that is not taken back is seen.
            try (PreparedStatement statement =
                    command.connection().prepareStatement("INSERT INTO " + EFFECTS + " (command_id) VALUES (?)")) {
                statement.setObject(1, command.id());
                statement.executeUpdate();
            }
            if (job.reject() && !mended) {
                return Result.rejected("not yet");
            }
            return command.attempt() <= job.fail() ? Result.failure("as it was told") : Result.success();
        }
    }
}
