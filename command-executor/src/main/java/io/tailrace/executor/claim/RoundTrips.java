package io.tailrace.executor.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What goes to the server together. The driver sends the statements of one text one behind the other and waits once; the server stops at
 * the first that fails. Each keeps its own snapshot, as if it had been sent alone.
 */
final class RoundTrips {

    /** Of this name, so that every claim has the same text and is parsed once. */
    private static final String SAVEPOINT = "tailrace_claimed";

    /**
     * The row is locked by the transaction and stamped by it, not by the subtransaction that a savepoint begins. Two ids would become a
     * MultiXact, at each row; and what a MultiXact has put an end to is never marked dead in an index, so that every guard of a key would
     * visit all that was done since the last VACUUM.
     */
    private static final String RELEASE = "RELEASE SAVEPOINT " + SAVEPOINT;

    private static final String TAKE_BACK = "ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; " + RELEASE;

    /** PostgreSQL quotes it in its message, in whatever language that is. */
    private static final String CLAIM_LOST = "tailrace: the claim is lost";

    private static final String NO_SAVEPOINT = "3B001";

    private RoundTrips() {}

    /** A claim, and the savepoint that is the handler's beginning. */
    static String withSavepoint(String claim) {
        return claim + "; SAVEPOINT " + SAVEPOINT;
    }

    /**
     * A completion and its commit. A function that says false is no error, and the server would go on to the commit: so the false is made one.
     * The time keeps the planner from making it before it is asked for.
     */
    static String withCommit(String complete) {
        return RELEASE + "; SELECT CASE WHEN " + complete + " THEN true ELSE ('" + CLAIM_LOST
                + " at ' || clock_timestamp())::boolean END; COMMIT";
    }

    /** The same with a commit that does not wait for the disk. */
    static String withLazyCommit(String complete) {
        return "SET LOCAL synchronous_commit TO off; " + withCommit(complete);
    }

    /** Sends what {@link #withCommit} made of a completion; false when the claim was lost: with its transaction, as a rule, and so its savepoint. */
    static boolean commits(PreparedStatement completion) throws SQLException {
        try {
            completion.execute();
            return true;
        } catch (SQLException refused) {
            if (NO_SAVEPOINT.equals(refused.getSQLState())
                    || String.valueOf(refused.getMessage()).contains(CLAIM_LOST)) {
                return false;
            }
            throw refused;
        }
    }

    /** False when the claim was lost, and its savepoint with it. */
    static boolean release(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(RELEASE);
            return true;
        } catch (SQLException refused) {
            if (NO_SAVEPOINT.equals(refused.getSQLState())) {
                return false;
            }
            throw refused;
        }
    }

    static void takeBack(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(TAKE_BACK);
        }
    }
}
