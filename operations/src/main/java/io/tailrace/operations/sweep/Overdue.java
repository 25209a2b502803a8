package io.tailrace.operations.sweep;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Rows of one kind that are overdue. */
public interface Overdue {

    /**
     * Counts them.
     *
     * @param overdue by how much
     * @param but what is left out
     */
    Seen count(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException;

    /**
     * Sends them again.
     *
     * @param overdue by how much
     * @param but what is left out
     * @return those that were sent
     */
    Seen wake(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException;
}
