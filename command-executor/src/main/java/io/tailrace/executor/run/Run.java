package io.tailrace.executor.run;

import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/** One run on its way through the stages. For one thread: the handler's. */
final class Run {

    final CommandHandler handler;
    final Connection connection;
    final GuardedConnection guarded;
    final RunContext context;

    /** Whether somebody ended it from outside. */
    RunGuard.Ended ended = RunGuard.Ended.NOT;

    /** Where the handler's transaction begins; null when the run ended before it. */
    @Nullable
    Savepoint before;

    /** The transaction could not begin: this is about the connection and not about the row. */
    @Nullable
    SQLException notBegun;

    Run(CommandHandler handler, Connection connection, GuardedConnection guarded, RunContext context) {
        this.handler = handler;
        this.connection = connection;
        this.guarded = guarded;
        this.context = context;
    }
}
