package io.tailrace.proof.child;

import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.proof.child.Job.End;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The handler. It has its effect first, whatever it comes to then: an effect that is not taken back is seen. What it has to remember
 * of runs that leave nothing it writes beside them. Thread-safe.
 */
final class Worker implements CommandHandler {

    private static final Duration PUT_OFF = Duration.ofMillis(300);
    private static final int LONGEST_WORK_MS = 10;

    /** What it says, with the id of the command, of a run that may have taken longer than it may. */
    static final String SLOW_RUN = "slow ";

    private static final Duration SLOW = ExecutorSite.TIMEOUT.multipliedBy(3).dividedBy(4);

    private final ExecutorSite site;
    private final Parent parent;
    private final Clock clock;
    private final String jdbcUrl;

    Worker(ExecutorSite site, Parent parent, Clock clock) {
        this.site = site;
        this.parent = parent;
        this.clock = clock;
        this.jdbcUrl = site.config().source().jdbcUrl() + "&user=postgres&connectTimeout=2&socketTimeout=4";
    }

    @Override
    public Set<String> names() {
        return Set.of(ExecutorSite.COMMAND);
    }

    @Override
    public Result handle(CommandContext command) throws SQLException, PayloadUnreadable {
        long began = System.nanoTime();
        try {
            return handled(command);
        } finally {
            if (System.nanoTime() - began > SLOW.toNanos()) {
                parent.tell(SLOW_RUN + command.id());
            }
        }
    }

    private Result handled(CommandContext command) throws SQLException, PayloadUnreadable {
        Job job = command.payloadAs(Job.class);
        if (!site.beside()) {
            effect(command.connection(), command);
        }
        Result result = result(command, job);
        if (site.beside() && result instanceof Result.Success && !writtenBeside(command)) {
            result = notes();
        }
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(LONGEST_WORK_MS)));
        parent.passes(Halts.Step.IN_HANDLER);
        return result;
    }

    private Result result(CommandContext command, Job job) throws SQLException {
        if (job.snooze() + job.unavailable() > 0) {
            try (Connection beside = DriverManager.getConnection(jdbcUrl)) {
                if (noted(beside, command, "snooze", job.snooze())) {
                    return Result.snooze(clock.instant().plus(PUT_OFF));
                }
                if (noted(beside, command, "unavailable", job.unavailable())) {
                    return Result.unavailable("proof", PUT_OFF);
                }
            } catch (SQLException away) {
                return notes();
            }
        }
        if (command.attempt() <= job.fail()) {
            return Result.failure("as it was told");
        }
        boolean isWell = job.end() == End.WELL || (job.end() != End.NEVER && isMended(command.connection()));
        if (isWell) {
            return Result.success();
        }
        return job.end() == End.EXHAUSTED ? Result.failure("not yet") : Result.rejected("not yet");
    }

    /** What the handler depends on, and is told to forgive. */
    private static Result notes() {
        return Result.unavailable("the connection beside the command's", PUT_OFF);
    }

    /** Whether that has not happened often enough; notes that it does now. */
    private static boolean noted(Connection beside, CommandContext command, String what, int times)
            throws SQLException {
        if (times == 0) {
            return false;
        }
        try (PreparedStatement statement = beside.prepareStatement(
                "INSERT INTO proof_note SELECT ?, ? WHERE (SELECT count(*) FROM proof_note WHERE command_id = ? AND what = ?) < ?")) {
            statement.setObject(1, command.id());
            statement.setString(2, what);
            statement.setObject(3, command.id());
            statement.setString(4, what);
            statement.setInt(5, times);
            return statement.executeUpdate() == 1;
        }
    }

    private static boolean isMended(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT EXISTS (SELECT FROM proof_mended)");
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private boolean writtenBeside(CommandContext command) {
        try (Connection beside = DriverManager.getConnection(jdbcUrl)) {
            effect(beside, command);
            return true;
        } catch (SQLException away) {
            return false;
        }
    }

    private void effect(Connection connection, CommandContext command) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO proof_effect (command_id, executor) VALUES (?, ?)")) {
            statement.setObject(1, command.id());
            statement.setString(2, site.name());
            statement.executeUpdate();
        }
    }
}
