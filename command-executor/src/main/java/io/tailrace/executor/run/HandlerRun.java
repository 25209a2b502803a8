package io.tailrace.executor.run;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.CommandInterceptor.Next;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** Calls a handler through all that stands around it. Immutable. */
public final class HandlerRun {

    private final List<Stage> stages;
    private final PayloadReader reader;
    private final SourceConfig source;
    private final OutboxMode outboxMode;
    private final Duration timeout;

    /**
     * For one database.
     *
     * @param timeout longest run
     * @param ran told how long the handler of a name took
     */
    public HandlerRun(
            RunGuard guard,
            SourceConfig source,
            OutboxMode outboxMode,
            Duration timeout,
            Handlers handlers,
            BiConsumer<String, Duration> ran) {
        this.stages = Stages.of(guard, timeout, handlers, ran);
        this.reader = new PayloadReader(handlers);
        this.source = source;
        this.outboxMode = outboxMode;
        this.timeout = timeout;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * Runs it to its end, whatever that is.
     *
     * @throws SQLException if its transaction could not even begin
     */
    Ending call(CommandHandler handler, Connection connection, Claim claim) throws SQLException {
        GuardedConnection guarded = new GuardedConnection(connection);
        RunContext context = new RunContext(claim, guarded.handed(), source, outboxMode, handler, reader);
        Run run = new Run(handler, connection, guarded, context);
        Result result = null;
        Throwable thrown = null;
        try {
            result = through(run).proceed();
        } catch (Throwable whatever) {
            // An Error too: the row that causes it must not cost this worker its thread and every other row its turn.
            thrown = whatever;
        } finally {
            guarded.end();
        }
        if (run.notBegun != null && run.ended == RunGuard.Ended.NOT) {
            throw run.notBegun;
        }
        return new Ending(result, thrown, run.ended, run.before);
    }

    private Next through(Run run) {
        Next next = Stages.handler(run);
        for (int i = stages.size() - 1; i >= 0; i--) {
            next = within(stages.get(i), run, next);
        }
        return next;
    }

    private static Next within(Stage stage, Run run, Next next) {
        return () -> stage.around(run, next);
    }
}
