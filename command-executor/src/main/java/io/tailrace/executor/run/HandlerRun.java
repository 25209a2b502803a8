package io.tailrace.executor.run;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls a handler, under its timeout and with a connection that is not its own to end. Immutable. */
public final class HandlerRun {

    private final RunGuard guard;
    private final SourceConfig source;
    private final OutboxMode outboxMode;
    private final Duration timeout;
    private final ExecutorMetrics metrics;

    public HandlerRun(
            RunGuard guard, SourceConfig source, OutboxMode outboxMode, Duration timeout, ExecutorMetrics metrics) {
        this.guard = guard;
        this.source = source;
        this.outboxMode = outboxMode;
        this.timeout = timeout;
        this.metrics = metrics;
    }

    Duration timeout() {
        return timeout;
    }

    /** Runs it to its end, whatever that is. */
    Ending call(CommandHandler handler, Connection connection, Claim claim) {
        GuardedConnection guarded = new GuardedConnection(connection);
        RunContext context = new RunContext(claim, guarded.handed(), source, outboxMode);
        Result result = null;
        Throwable thrown = null;
        long start = System.nanoTime();
        RunGuard.Watched watched = guard.watch(connection, timeout);
        RunGuard.Ended ended;
        try {
            result = handler.handle(context);
        } catch (Throwable whatever) {
            // An Error too: the row that causes it must not cost this worker its thread and every other row its turn.
            thrown = whatever;
        } finally {
            ended = watched.finish();
            guarded.end();
            metrics.ran(context.name(), Duration.ofNanos(System.nanoTime() - start));
        }
        return ending(handler, result, thrown, ended);
    }

    private static Ending ending(
            CommandHandler handler, @Nullable Result result, @Nullable Throwable thrown, RunGuard.Ended ended) {
        if (result == null && thrown == null) {
            return new Ending(
                    null,
                    new IllegalStateException(handler.getClass().getName() + " returned null; it must return a Result"),
                    ended);
        }
        return new Ending(result, thrown, ended);
    }
}
