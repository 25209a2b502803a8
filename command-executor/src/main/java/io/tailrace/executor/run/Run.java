package io.tailrace.executor.run;

import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import java.sql.Connection;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run on its way through the stages; outside of a transaction without a connection. For one thread: the handler's. */
final class Run {

    final CommandHandler handler;
    final @Nullable Connection connection;
    final @Nullable GuardedConnection guarded;
    final RunContext context;
    final Duration timeout;

    /** Who is told of the watch over this run, once it is watched. */
    Consumer<RunGuard.Watched> observer = watched -> {};

    /** Whether somebody ended it from outside. */
    RunGuard.Ended ended = RunGuard.Ended.NOT;

    /** Whether the connection was the handler's. */
    boolean begun;

    Run(
            CommandHandler handler,
            @Nullable Connection connection,
            @Nullable GuardedConnection guarded,
            RunContext context,
            Duration timeout) {
        this.handler = handler;
        this.connection = connection;
        this.guarded = guarded;
        this.context = context;
        this.timeout = timeout;
    }
}
