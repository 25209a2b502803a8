package io.tailrace.executor.handler;

import io.tailrace.client.Commands;
import io.tailrace.client.Outbox;
import java.sql.Connection;

/**
 * One run of one command: everything here comes from its locked row. Valid until the handler returns, on the handler's thread.
 */
public interface CommandContext extends ExternalContext {

    /**
     * The transaction that holds the command. Commit, rollback, close and the like are refused; savepoints of the handler's own are allowed.
     * So is {@code SET} without {@code LOCAL}: it would last for the commands after this one.
     */
    Connection connection();

    /** Publishes events; give it {@link #connection()}. Rows inherit {@link #origin()}; their causation id is {@link #id()}. */
    Outbox outbox();

    /** Schedules commands; give it {@link #connection()}. Rows inherit {@link #origin()}; their causation id is {@link #id()}. */
    Commands commands();
}
