package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Runs work once for each event of a subscription, however often the event comes. Uses the caller's connection only: never opens,
 * commits, rolls back or closes one. Thread-safe, as far as each thread brings its own connection.
 */
public final class Inbox {

    /**
     * What is done for an event.
     *
     * @param <E> what it may throw
     */
    @FunctionalInterface
    public interface Work<E extends Exception> {
        /** Does it with the connection that was handed to {@link Inbox#once}, in its transaction. */
        void run() throws E, SQLException;
    }

    private final String begin;
    private final String complete;

    Inbox(TableNames tables) {
        String schema = TableNames.quoted(tables.schema());
        this.begin = "SELECT " + schema + ".begin_delivery(?, ?::uuid)";
        this.complete = "SELECT " + schema + ".complete_delivery(?, ?::uuid)";
    }

    /**
     * Runs the work unless it was done before, and writes down that it was, in the caller's transaction. If the work throws, nothing
     * is written down and the exception goes on: roll back, or what the work has written so far is committed by itself.
     *
     * @param subscription whose inbox: two subscriptions handle an event once each
     * @param eventId {@code ce_id} of the record
     * @return whether the work was run, and if not, why
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException from the driver; 23505 or 40001 if another transaction, which this one's snapshot did not see, was faster
     */
    public <E extends Exception> InboxOutcome once(
            Connection connection, String subscription, UUID eventId, Work<E> work) throws SQLException, E {
        if (!Topics.isSubscriptionName(subscription)) {
            throw new IllegalArgumentException(
                    "subscription '" + subscription
                            + "' must be 1 to 60 of a-z, 0-9, '_' and '-', beginning with a letter, and none of Tailrace's own");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in autocommit mode, so the work and the note that it is done would"
                            + " commit apart; call setAutoCommit(false) first");
        }
        InboxOutcome outcome = InboxOutcome.of(call(connection, begin, subscription, eventId));
        if (outcome.runs()) {
            work.run();
            call(connection, complete, subscription, eventId);
        }
        return outcome;
    }

    private static String call(Connection connection, String sql, String subscription, UUID eventId)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new Statements(statement).text(subscription).object(eventId);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return String.valueOf(row.getString(1));
            }
        }
    }
}
