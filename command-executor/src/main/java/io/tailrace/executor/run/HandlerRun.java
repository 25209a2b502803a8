package io.tailrace.executor.run;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.CommandInterceptor.Next;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.handler.Result;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

/** Calls a handler through all that stands around it. Immutable. */
public final class HandlerRun {

    private final RunGuard guard;
    private final List<Stage> stages;
    private final List<Stage> outside;
    private final PayloadReader reader;
    private final SourceConfig source;
    private final OutboxMode outboxMode;
    private final Duration timeout;

    /**
     * For one database.
     *
     * @param timeout longest run
     * @param around what the application has put around its handlers
     * @param ran told how long the handler of a name took
     */
    public HandlerRun(
            RunGuard guard,
            SourceConfig source,
            OutboxMode outboxMode,
            Duration timeout,
            Around around,
            BiConsumer<String, Duration> ran) {
        this.guard = guard;
        this.stages = Stages.of(guard, around.interceptors(), ran);
        this.outside = Stages.outside(guard, ran);
        this.reader = new PayloadReader(around.upcasters());
        this.source = source;
        this.outboxMode = outboxMode;
        this.timeout = timeout;
    }

    Duration timeout() {
        return timeout;
    }

    /** Runs it to its end, whatever that is. */
    Ending call(CommandHandler handler, Connection connection, Claim claim) {
        GuardedConnection guarded = new GuardedConnection(connection);
        RunContext context = new RunContext(claim, guarded.handed(), source, outboxMode, handler, reader);
        Run run = new Run(handler, connection, guarded, context, timeout);
        Ending ending;
        try {
            ending = through(stages, run);
        } finally {
            guarded.end();
        }
        return ending;
    }

    /** Runs it to its end without a connection; its lease is kept meanwhile. */
    Ending callOutside(ExternalHandler handler, Claim claim, Lease lease) {
        RunContext context = new RunContext(claim, null, source, outboxMode, handler, reader);
        Run run = new Run(handler, null, null, context, timeoutOf(handler));
        run.observer = lease::guards;
        Future<?> renewal = guard.beside(lease.beat(), lease::renewWhenDue);
        try {
            Ending ending = through(outside, run);
            // What it returned has happened, even if somebody wanted to end it just then.
            return ending.result() == null ? ending : new Ending(ending.result(), null, RunGuard.Ended.NOT, false);
        } finally {
            renewal.cancel(false);
        }
    }

    /** How long a run of this handler may take. */
    Duration timeoutOf(ExternalHandler handler) {
        return handler.timeout().orElse(timeout);
    }

    private static Ending through(List<Stage> stages, Run run) {
        Result result = null;
        Throwable thrown = null;
        try {
            result = entrance(stages, run).proceed();
        } catch (Throwable whatever) {
            // An Error too: the row that causes it must not cost this worker its thread and every other row its turn.
            thrown = whatever;
        }
        return new Ending(result, thrown, run.ended, run.begun);
    }

    private static Next entrance(List<Stage> stages, Run run) {
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
