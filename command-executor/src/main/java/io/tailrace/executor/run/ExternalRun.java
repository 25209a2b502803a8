package io.tailrace.executor.run;

import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.ExternalTable;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work.Turn;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run of an external handler: the claim is committed with a token, the handler runs without a connection while the lease is renewed,
 * and its end is written in a transaction of its own if the token is still on the row. Thread-safe.
 *
 * <table>
 * <caption>Crash points</caption>
 * <tr><th>the worker dies after</th><th>the next owner of the record, whose offset has not passed</th></tr>
 * <tr><td>the claim has committed</td><td>steps back until the lease has ended, then uses an attempt for it; a worker that lives and was not
 * told gives it back</td></tr>
 * <tr><td>the effect, before its end is written</td><td>the same, and the effect happens again: at least once</td></tr>
 * <tr><td>the end has committed</td><td>meets what was written, as of any other row</td></tr>
 * </table>
 *
 * <p>A worker that only stood still meets the token of somebody else, or none, and writes nothing.
 */
final class ExternalRun {

    private static final Logger LOG = LoggerFactory.getLogger(ExternalRun.class);

    private static final Decision NOT_BEGUN = new Decision.Repeat(StepBack.LOST);

    private final RowRunner runner;
    private final Connections connections;
    private final RowTable table;
    private final Stamper stamper;
    private final HandlerRun run;
    private final RowRunner.Rules rules;

    ExternalRun(
            RowRunner runner,
            Connections connections,
            RowTable table,
            Stamper stamper,
            HandlerRun run,
            RowRunner.Rules rules) {
        this.runner = runner;
        this.connections = connections;
        this.table = table;
        this.stamper = stamper;
        this.run = run;
        this.rules = rules;
    }

    /**
     * What a run came to and is yet to be written.
     *
     * @param claim of the transaction that handed the row out
     * @param token of the claim
     * @param decision what is to become of the row; null after a success
     * @param probe whether it was let through to find out about its name
     * @param began false if nobody knows whether the row was handed out, and the handler did not begin
     */
    record Unwritten(Claim claim, UUID token, @Nullable Decision decision, boolean probe, boolean began) {}

    /** In the transaction that has claimed the row, which this ends; the run begins when the connection has been given back. */
    Step begin(Connection connection, Turn turn, Claim claim, ExternalHandler handler, boolean probe)
            throws SQLException {
        ExternalTable rows = table.external();
        Duration length = rules.config().externalLease();
        UUID token = UUID.randomUUID();
        Lease lease = new Lease(connections, rows, claim.request(), token, length, System.nanoTime());
        rows.begin(connection, claim, token, length);
        Task head = turn.head();
        // Before the commit, whose answer may be lost: then the row is ours, and nobody else would know until the lease
        // ends.
        head.memo(Memo.of(head).toWrite(new Unwritten(claim, token, NOT_BEGUN, probe, false)));
        connection.commit();
        return Step.on(() -> ran(turn, claim, handler, lease, probe)).committed(false);
    }

    private Step ran(Turn turn, Claim claim, ExternalHandler handler, Lease lease, boolean probe) {
        Task head = turn.head();
        head.memo(Memo.of(head).nothingToWrite());
        Ending ending = run.callOutside(handler, claim, lease);
        Decision decision = ending.isSuccess()
                ? null
                : new Lessons(rules.names())
                        .of(
                                ending,
                                Decisions.after(
                                        ending, null, runner.facts(head, claim.theRow(), run.timeoutOf(handler))),
                                claim,
                                probe);
        return write(turn, new Unwritten(claim, lease.token(), decision, probe, true));
    }

    /** Writes the end down, now or when the head comes again: until then it is remembered, and its claim is as old as its last renewal. */
    Step write(Turn turn, Unwritten end) {
        Task head = turn.head();
        head.memo(Memo.of(head).toWrite(end));
        return runner.look(turn, connection -> written(connection, turn, end));
    }

    private Step written(Connection connection, Turn turn, Unwritten end) throws SQLException {
        Task head = turn.head();
        CommandRow row = end.claim().theRow();
        Optional<Claim> back = table.external().end(connection, end.claim(), end.token());
        if (back.isEmpty()) {
            connection.rollback();
            head.memo(Memo.of(head).nothingToWrite());
            if (!end.began()) {
                return runner.stepBack(head, StepBack.LOST, Backoff.LOST);
            }
            LOG.warn(
                    "An external run has ended whose claim is lost; what it came to is not written: rowId={} name={}",
                    end.claim().request().id(),
                    row.name());
            return runner.stepBack(head, StepBack.FENCED, Backoff.BUSY);
        }
        Claim claim = back.get();
        Decision decision = end.decision();
        if (decision == null) {
            return completed(connection, head, claim, end.probe());
        }
        if (!(decision instanceof Decision.Repeat repeat)) {
            return stamper.conclude(connection, turn, claim, decision);
        }
        // Given back as it was: nothing is used.
        connection.commit();
        Memo memo = Memo.of(head);
        head.memo(repeat.why() == StepBack.CONFLICT ? memo.oneMoreConflict() : memo.nothingToWrite());
        return runner.stepBack(head, repeat.why(), Backoff.CONFLICT);
    }

    private Step completed(Connection connection, Task head, Claim claim, boolean probe) throws SQLException {
        String name = claim.theRow().name();
        if (!table.complete(connection, claim)) {
            throw new SQLException("the claim is no longer this transaction's");
        }
        rules.secrets().scrub(connection, claim.request().id(), name);
        connection.commit();
        new Lessons(rules.names()).succeeded(claim, probe);
        return stamper.completed(head, claim);
    }
}
