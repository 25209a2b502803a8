package io.tailrace.executor.run;

import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.settle.Answers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows that may have ended the process of their partition's last owner. Before such a row runs, a failure is stamped on it and committed, as if
 * it had failed; the transaction of its run begins with taking that back. So whatever the run comes to, the row looks as if nothing
 * had been there, but for a higher turn; and if it ends this process too, the failure stands, and the next owner finds and answers it
 * like any other. A run that comes to nothing takes it back by itself, and so does whoever lets go of a row that waits for its next look. Thread-safe.
 */
final class Suspicion {

    private static final Logger LOG = LoggerFactory.getLogger(Suspicion.class);

    private static final String DIED = Answers.lastError(Decisions.WORKER_DIED);

    private final RowTable table;
    private final Stamper stamper;
    private final ExecutorConfig config;

    Suspicion(RowTable table, Stamper stamper, ExecutorConfig config) {
        this.table = table;
        this.stamper = stamper;
        this.config = config;
    }

    /**
     * Claims a row; one that is accused at the turn of the accusation, and that is taken back if the transaction commits. One that has ended a
     * process with its last attempt at its own turn: what is to be said of it is not said yet.
     */
    Claim claim(Connection connection, Task task) throws SQLException {
        ClaimRequest request = task.record().row();
        Memo.Accused accused = Memo.of(task).accused();
        if (accused != null) {
            request = request.at(accused.turn());
            if (accused.stands()) {
                table.acquit(connection, request, accused.before());
            }
        }
        Claim claim = table.claim(connection, request);
        if (claim.verdict() != Claim.Verdict.REPEAT || end(claim.theRow()) == null) {
            return claim;
        }
        Claim own = table.claim(connection, request.at(claim.theRow().progress().turn()));
        // If it may not be its turn yet, it waits like any other, and the end is said when it comes again.
        return own.verdict() == Claim.Verdict.RUN ? own : claim;
    }

    /** What is to become of a row that has ended a process with its last attempt; null for any other. */
    @Nullable
    Decision end(CommandRow row) {
        CommandRow.Progress progress = row.progress();
        return !row.isDead()
                        && DIED.equals(progress.error())
                        && progress.attempts()
                                >= progress.maxAttempts()
                                        .orElse(config.policyOf(row.name()).maxAttempts())
                ? Decisions.diedOfIt()
                : null;
    }

    /** Whether it is to be accused before it runs. */
    boolean isDue(Task task) {
        return task.isSuspect() && !Memo.of(task).isAccused();
    }

    /** Ends the transaction of the claim; the row is to be claimed again. */
    void accuse(Connection connection, Task task, Claim claim, Decision.Wait failure) throws SQLException {
        int turn = stamper.accuse(connection, claim, failure).turn();
        // Before the commit, which may be done without a word: an accusation that is not there takes nothing back.
        task.memo(Memo.of(task).accused(turn, claim.theRow().progress(), true));
        connection.commit();
        task.countSuspect();
    }

    /**
     * Its run came to nothing, through no fault of its own. If the connection is lost with it, the next look takes the failure back, or
     * {@link #forget}.
     */
    void drop(Connection connection, Task task) {
        try {
            takeBack(connection, task);
        } catch (SQLException lost) {
            LOG.debug("A failure that it never had stands on it until its next look: {}", task.record(), lost);
        }
    }

    /** These get no next look here: their next owner meets a higher turn, and has them sent again. */
    void forget(Connections connections, List<Task> tasks) {
        List<Task> accused =
                tasks.stream().filter(task -> Memo.of(task).isAccused()).toList();
        if (accused.isEmpty()) {
            return;
        }
        try (Connection connection = connections.take()) {
            for (Task task : accused) {
                takeBack(connection, task);
            }
        } catch (SQLException tooLate) {
            LOG.warn("Rows are left with a failure on them that they never had: {}", accused.size(), tooLate);
        }
    }

    private void takeBack(Connection connection, Task task) throws SQLException {
        Memo.Accused accused = Memo.of(task).accused();
        if (accused == null || !accused.stands()) {
            return;
        }
        table.acquit(connection, task.record().row().at(accused.turn()), accused.before());
        connection.commit();
        task.memo(Memo.of(task).accused(accused.turn(), accused.before(), false));
    }
}
