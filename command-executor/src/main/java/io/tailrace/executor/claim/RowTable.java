package io.tailrace.executor.claim;

import io.tailrace.contract.record.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one subscription: commands in their own table, or what stands of events in the inbox. Every method runs in the transaction
 * of the connection it is given and never ends it.
 */
public interface RowTable {

    /** Reasons why this database cannot be worked on as it is, each with its fix; empty when it can. */
    List<String> problems(Connection connection) throws SQLException;

    /**
     * Takes the row for this transaction, or says why not, and sets the savepoint that {@link #takeBack} goes back to. One round trip for
     * all of it.
     */
    Claim claim(Connection connection, ClaimRequest request) throws SQLException;

    /** Stamps the row done. False when the claim is no longer this transaction's: then it must be rolled back. */
    boolean complete(Connection connection, Claim claimed) throws SQLException;

    /**
     * Stamps the row done and commits, in one round trip: the server does not come to the commit when the claim is no longer this
     * transaction's. False then, and the transaction must be rolled back.
     *
     * @param lazily does not wait for the disk, where a later commit that waits takes this one too; only if {@link #commitsLazily}
     */
    boolean completeAndCommit(Connection connection, Claim claimed, boolean lazily) throws SQLException;

    /**
     * Whether a row may be found done whose commit is not on the disk yet. Whoever finds it so and lets something pass for it must commit
     * first, with the lock of the row, and wait for that.
     */
    boolean commitsLazily();

    /**
     * Locks a row that is done, and its key not; waits for whoever looks at it. False when it is not done.
     *
     * @throws IllegalStateException unless {@link #commitsLazily}
     */
    default boolean lockDone(Connection connection, ClaimRequest request) throws SQLException {
        throw new IllegalStateException("what is done is on the disk: " + request.id());
    }

    /**
     * What was written since the claim can only be taken back with the claim from now on; the row is stamped for less. False when the
     * claim is lost: then the transaction must be rolled back.
     */
    default boolean release(Connection connection) throws SQLException {
        return RoundTrips.release(connection);
    }

    /** Takes back what was written since the claim, once; the locks of the claim stay. */
    default void takeBack(Connection connection) throws SQLException {
        RoundTrips.takeBack(connection);
    }

    /**
     * Stamps that the row waits.
     *
     * @param used attempts that this run used, 0 or 1
     * @param until when it is due again
     * @param error for {@code last_error}; absent keeps the one before
     * @return empty when the claim is no longer this transaction's
     */
    Optional<Stamp> waiting(Connection connection, Claim claimed, int used, Until until, @Nullable String error)
            throws SQLException;

    /** Stamps that the row waits for its name, for as long as that is held; otherwise as {@link #waiting}. */
    Optional<Stamp> held(Connection connection, Claim claimed, String name, @Nullable String error) throws SQLException;

    /**
     * Stamps the row dead; otherwise as {@link #waiting}.
     *
     * @param halts whether its key is to stop there, if it has one: nothing that stands behind it is claimed until an operator has acted
     */
    Optional<Stamp> dead(
            Connection connection, Claim claimed, int used, Reason reason, @Nullable String error, boolean halts)
            throws SQLException;

    /** Stamps the row dead; its key goes on. */
    default Optional<Stamp> dead(Connection connection, Claim claimed, int used, Reason reason, @Nullable String error)
            throws SQLException {
        return dead(connection, claimed, used, reason, error, false);
    }

    /** Whether a key stops at a row that the caller has claimed and found dead. */
    boolean halts(Connection connection, ClaimRequest request) throws SQLException;

    /**
     * Takes back a failure that was stamped before a run, in the transaction of that run: if it does not commit, the failure stands. Changes nothing
     * if the row has another turn by now, or somebody has it.
     *
     * @param request with the turn of the stamp
     * @param before what stood on the row before it; turn and place stay what they are
     */
    void acquit(Connection connection, ClaimRequest request, CommandRow.Progress before) throws SQLException;

    /**
     * Stamps rows of a key that are queued behind a row which waits; the caller's transaction holds the key.
     *
     * @param orderingKey of all of them
     * @param after packed place of the row that waits; only what stands behind it is stamped
     * @return those that were stamped; the others are to be claimed one by one
     */
    List<Stamp> behind(Connection connection, String orderingKey, long after, List<ClaimRequest> queued)
            throws SQLException;

    /**
     * What is done with rows that external handlers have.
     *
     * @throws IllegalStateException if these rows are never handed out
     */
    default ExternalTable external() {
        throw new IllegalStateException("only commands have external handlers");
    }

    /** Notes that the dead letters of these rows, dead at these turns, are on their way. */
    void announced(Connection connection, List<UUID> ids, List<Integer> turns) throws SQLException;
}
