package io.tailrace.executor.run;

import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.intake.Task;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows that may have ended the process of their partition's last owner. Before such a row runs, a failure is stamped on it and committed, as if
 * it had failed; the transaction of its run begins with taking that back. So whatever the run comes to, the row looks as if nothing
 * had been there, but for a higher turn; and if it ends this process too, the failure stands, and the next owner finds and answers it
 * like any other. Thread-safe.
 */
final class Suspicion {

    private static final Logger LOG = LoggerFactory.getLogger(Suspicion.class);

    private final RowTable table;
    private final Stamper stamper;

    Suspicion(RowTable table, Stamper stamper) {
        this.table = table;
        this.stamper = stamper;
    }

    /** Claims a row; one that is accused at the turn of the accusation, and that is taken back if the transaction commits. */
    Claim claim(Connection connection, Task task) throws SQLException {
        Memo.Accused accused = Memo.of(task).accused();
        if (accused == null) {
            return table.claim(connection, task.record().row());
        }
        ClaimRequest request = task.record().row().at(accused.turn());
        table.acquit(connection, request, accused.before());
        return table.claim(connection, request);
    }

    /** Whether it is to be accused before it runs. */
    boolean isDue(Task task) {
        return task.isSuspect() && Memo.of(task).accused() == null;
    }

    /** Ends the transaction of the claim; the row is to be claimed again. */
    void accuse(Connection connection, Task task, Claim claim, Decision failure) throws SQLException {
        int turn = stamper.accuse(connection, claim, failure).turn();
        task.memo(Memo.of(task).accused(turn, claim.theRow().progress()));
        task.countSuspect();
    }

    /** It does not run after all, through no fault of its own: its next owner meets a higher turn, and has it sent again. */
    void drop(Connection connection, Task task) {
        Memo.Accused accused = Memo.of(task).accused();
        if (accused == null) {
            return;
        }
        try {
            table.acquit(connection, task.record().row().at(accused.turn()), accused.before());
            connection.commit();
        } catch (SQLException tooLate) {
            LOG.warn("Is stopped with a failure on it that it never had: {}", task.record(), tooLate);
        }
    }
}
