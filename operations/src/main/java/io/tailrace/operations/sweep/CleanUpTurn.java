package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Whose turn it is to delete: of the upkeep and of all operators that purge, one at a time in a database. A session advisory lock, given
 * back when the work has ended, or with the session.
 */
public final class CleanUpTurn {

    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

    private static final String TAKE = "SELECT pg_try_advisory_lock(hashtextextended(?, 0))";

    private static final String GIVE_BACK = "SELECT pg_advisory_unlock(hashtextextended(?, 0))";

    private final String name;

    public CleanUpTurn(TableNames tables) {
        this.name = "tailrace clean-up of " + tables.schema();
    }

    /** What is done in it. */
    @FunctionalInterface
    public interface Work<T> {
        T done() throws SQLException;
    }

    /**
     * Waits for the turn, and works.
     *
     * @param connection commits by itself; the work is done on it
     * @return empty when somebody else has it for longer than that, or when a stop comes
     */
    public <T> Optional<T> in(Connection connection, Duration patience, Waiting waiting, Work<T> work)
            throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isTrue(connection, TAKE)) {
            if (System.nanoTime() - deadline > 0 || !waiting.forTime(LOOK_AGAIN)) {
                return Optional.empty();
            }
        }
        boolean hasWorked = false;
        try {
            T result = work.done();
            hasWorked = true;
            return Optional.of(result);
        } finally {
            // After a failure the caller closes the session, which may be what has failed.
            if (hasWorked) {
                isTrue(connection, GIVE_BACK);
            }
        }
    }

    private boolean isTrue(Connection connection, String question) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(question)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
