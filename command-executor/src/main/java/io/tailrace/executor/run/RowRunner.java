package io.tailrace.executor.run;

import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.hold.Gate;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import io.tailrace.executor.run.Step.Disk;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One look at the head of a queue, and at those behind it while all goes well, each in one transaction: claim it, run it or find what else is the case, write that down, commit, and
 * only then say so. Whatever is thrown on the way, the transaction is rolled back or its fate unknown, and the row is claimed again:
 * the claim finds out. Thread-safe.
 */
public final class RowRunner implements Work {

    private static final Logger LOG = LoggerFactory.getLogger(RowRunner.class);

    /** What is due sooner than this is not sent to the router and back. */
    private static final Duration WAITED_FOR_HERE = Duration.ofSeconds(1);

    /** Names in rows are without end, the memory of what was told is not. */
    private static final int MOST_TOLD = 1_000;

    private final Connections connections;
    private final RowTable table;
    private final SourceGate gate;
    private final Stamper stamper;
    private final HandlerRun run;
    private final Handling handling;
    private final Rules rules;
    private final Suspicion suspicion;
    private final Lessons lessons;
    private final ExternalRun external;

    /** SQLSTATEs that kept rows from their claims, each told once: what keeps one row keeps them all. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /**
     * What decisions need beside the row.
     *
     * @param config policies, by name
     * @param secrets of commands
     * @param clock for snoozes
     * @param chance uniform in [0, 1), for jitter
     * @param names which may run
     */
    public record Rules(ExecutorConfig config, RowSecrets secrets, Clock clock, DoubleSupplier chance, Gate names) {}

    /** Over one database. */
    public RowRunner(
            Connections connections,
            RowTable table,
            SourceGate gate,
            Stamper stamper,
            HandlerRun run,
            Handling handling,
            Rules rules) {
        this.connections = connections;
        this.table = table;
        this.gate = gate;
        this.stamper = stamper;
        this.run = run;
        this.handling = handling;
        this.rules = rules;
        this.suspicion = new Suspicion(table, stamper, rules.config());
        this.lessons = new Lessons(rules.names());
        this.external = new ExternalRun(this, connections, table, stamper, run, rules);
    }

    /** One look at a row, over a connection that is given back afterwards. */
    interface Look {
        Step at(Connection connection) throws SQLException;
    }

    @Override
    public Outcome run(Turn turn) {
        ExternalRun.Unwritten end = Memo.of(turn.head()).unwritten();
        Step first = end == null
                ? look(turn, connection -> inARow(connection, new InARow(turn)))
                : external.write(turn, end);
        Step step = first.last();
        // After the connection is back: an answer may have to wait for the broker.
        step.afterwards().run();
        return step.outcome();
    }

    @Override
    public void forgotten(List<Task> tasks) {
        suspicion.forget(connections, tasks);
    }

    Step look(Turn turn, Look look) {
        Connection connection;
        try {
            connection = connections.take();
        } catch (SQLException e) {
            gate.suspect(e);
            return stepBack(turn.head(), StepBack.LOST, Backoff.LOST);
        }
        try (connection) {
            return look.at(connection);
        } catch (SQLException e) {
            // Of what was done before it nobody knows: it comes again too, and its claim will say.
            return failed(turn.head(), e);
        }
    }

    private Step inARow(Connection connection, InARow rows) throws SQLException {
        Step step = claimed(connection, rows);
        while (step.disk() == Disk.OWED) {
            if (!rows.next(step)) {
                rows.pay(connection, table);
                return rows.paid();
            }
            step = claimedNext(connection, rows);
        }
        if (step.disk() != Disk.KNOWN) {
            rows.pay(connection, table);
        }
        return rows.paid(step);
    }

    /** What is wrong with one row is not to keep those before it from being told of. */
    private Step claimedNext(Connection connection, InARow rows) throws SQLException {
        try {
            return claimed(connection, rows);
        } catch (SQLException e) {
            connection.rollback();
            return failed(rows.head(), e);
        }
    }

    /** The claim, a stamp or its commit did not get through. Nothing is used; what was written, if anything, is found by the next claim. */
    private Step failed(Task head, SQLException e) {
        AttemptUse use = AttemptUse.of(e);
        if (use == AttemptUse.CONFLICT) {
            return stepBack(head, StepBack.CONFLICT, Backoff.CONFLICT);
        }
        String state = Objects.requireNonNullElse(e.getSQLState(), "none");
        if (use != AttemptUse.LOST && refused.size() < MOST_TOLD && refused.add(state)) {
            LOG.warn(
                    "Rows cannot be claimed or stamped, each is tried until it can; said once per SQLSTATE: {}",
                    head.record(),
                    e);
        }
        return stepBack(head, StepBack.LOST, Backoff.LOST);
    }

    private Step claimed(Connection connection, InARow turn) throws SQLException {
        Task head = turn.head();
        Claim claim = suspicion.claim(connection, head);
        return switch (claim.verdict()) {
            case BUSY -> release(connection, head, StepBack.BUSY, Backoff.BUSY);
            case UNSEEN -> {
                if (head.stepsBack() == 10) {
                    LOG.info("Row waits for its transaction to become visible: {}", head.record());
                }
                yield release(connection, head, StepBack.UNSEEN, Backoff.UNSEEN);
            }
            case EARLY -> early(connection, head, claim);
            case GONE -> stamper.gone(connection, head, claim);
            case SETTLED -> {
                // Cancelled before it ever ran, mostly; of one that ran nothing is left to scrub.
                if (rules.secrets()
                        .scrub(
                                connection,
                                head.record().row().id(),
                                claim.theRow().name())) {
                    connection.commit();
                }
                yield stamper.settled(connection, head, claim);
            }
            case REPEAT, DEAD -> stamper.repeated(connection, turn, claim);
            case EXPIRED -> stamper.conclude(connection, turn, claim, Decisions.expired(facts(head, claim.theRow())));
            case BEHIND -> {
                Step behind = stamper.behind(connection, turn, claim);
                // Not stamped although we hold it: it changed between two statements, and the next claim will say how.
                yield behind.outcome().finished().contains(head) ? behind : stepBack(head, StepBack.BUSY, Backoff.BUSY);
            }
            case RUN ->
                head.record().row().bury()
                        ? stamper.buried(
                                connection, head, claim, rules.secrets().veil(claim.theRow()))
                        : mine(connection, turn, claim);
        };
    }

    private Step early(Connection connection, Task head, Claim claim) throws SQLException {
        if (claim.waitMillis() < WAITED_FOR_HERE.toMillis()) {
            connection.rollback();
            stamper.metrics().steppedBack(StepBack.EARLY);
            return Step.again(Duration.ofMillis(Math.max(1, claim.waitMillis())));
        }
        return stamper.early(connection, head, claim);
    }

    /** The row is ours: finish what an earlier run came to, or run it. */
    private Step mine(Connection connection, InARow turn, Claim claim) throws SQLException {
        Task head = turn.head();
        Decision pending = Memo.of(head).pending();
        Decision known = pending != null ? pending : suspicion.end(claim.theRow());
        if (known != null) {
            return stamper.conclude(connection, turn, claim, known);
        }
        Handling.Whole whole = handling.whole(claim);
        Handling.Missing missing = whole.missing();
        return missing == null
                ? whole(connection, turn, whole.claim())
                : stamper.conclude(connection, turn, claim, Decisions.incomplete(missing, facts(head, claim.theRow())));
    }

    private Step whole(Connection connection, InARow turn, Claim claim) throws SQLException {
        Task head = turn.head();
        CommandRow row = claim.theRow();
        Optional<CommandHandler> handler = handling.handlerOf(claim);
        Gate.Verdict verdict =
                rules.names().verdict(connection, row.name(), claim.request().id(), handler.isPresent());
        return switch (verdict) {
            case HELD -> stamper.conclude(connection, turn, claim, new Decision.Hold(row.name(), null));
            case MISSING -> missing(connection, turn, claim, true);
            case UNHANDLED -> missing(connection, turn, claim, false);
            case RUN -> ran(connection, turn, claim, handler.orElseThrow(), false);
            case PROBE -> ran(connection, turn, claim, handler.orElseThrow(), true);
        };
    }

    private Step missing(Connection connection, Turn turn, Claim claim, boolean wait) throws SQLException {
        CommandRow row = claim.theRow();
        stamper.metrics().handlerMissing();
        if (claim.request().event() != null && !wait) {
            return stamper.conclude(connection, turn, claim, Decisions.missingForEvent(facts(turn.head(), row)));
        }
        Decision missing = Decisions.missing(row, wait, rules.names().whyNot(row.name()));
        if (missing instanceof Decision.Hold) {
            // With the stamp or not at all.
            rules.names().missing(connection, row.name());
        }
        return stamper.conclude(connection, turn, claim, missing);
    }

    private Step ran(Connection connection, InARow turn, Claim claim, CommandHandler handler, boolean probe)
            throws SQLException {
        Task head = turn.head();
        CommandRow row = claim.theRow();
        // An external one has its lease, and what ends its worker has used an attempt when that is over.
        if (!(handler instanceof ExternalHandler) && suspicion.isDue(head)) {
            suspicion.accuse(connection, head, claim, Decisions.workerDied(facts(head, row)));
            return claimed(connection, turn);
        }
        stamper.metrics().started(row.lagMillis());
        if (handler instanceof ExternalHandler outside) {
            return external.begin(connection, turn, claim, outside, probe);
        }
        Ending ending = run.call(handler, connection, claim);
        if (ending.isSuccess()) {
            return completed(connection, turn, claim, probe);
        }
        SQLException unusable = ending.begun() ? takeBack(connection) : null;
        Decision decision = lessons.of(ending, Decisions.after(ending, unusable, facts(head, row)), claim, probe);
        boolean stampHere = unusable == null && !(decision instanceof Decision.Repeat);
        Step step = stampHere ? stampOrRemember(connection, turn, claim, decision) : later(connection, head, decision);
        if (ending.thrown() != null && AttemptUse.spoilsConnection(ending.thrown())) {
            connections.discard(connection);
        }
        return step;
    }

    /** The effects of the handler and the completion of the row commit together or not at all. */
    private Step completed(Connection connection, InARow turn, Claim claim, boolean probe) {
        Task head = turn.head();
        boolean lazily = table.commitsLazily() && !probe && turn.hasNext();
        Decision refused;
        try {
            if (commits(connection, claim, lazily)) {
                lessons.succeeded(claim, probe);
                return stamper.completed(head, claim).committed(lazily);
            }
            refused = Decisions.claimLost(facts(head, claim.theRow()));
        } catch (SQLException e) {
            refused = Decisions.afterCompletion(named(connection, e), facts(head, claim.theRow()));
        }
        return later(connection, head, refused);
    }

    private boolean commits(Connection connection, Claim claim, boolean lazily) throws SQLException {
        String name = claim.theRow().name();
        if (!rules.secrets().stayIn(name)) {
            return table.completeAndCommit(connection, claim, lazily);
        }
        if (!table.release(connection) || !table.complete(connection, claim)) {
            return false;
        }
        rules.secrets().scrub(connection, claim.request().id(), name);
        connection.commit();
        return true;
    }

    /** A stamp that fails is made again in a new transaction, under the same locks and fence. */
    private Step stampOrRemember(Connection connection, Turn turn, Claim claim, Decision decision) {
        try {
            return stamper.conclude(connection, turn, claim, decision);
        } catch (SQLException e) {
            LOG.debug("The stamp is made in a new transaction: {}", turn.head().record(), e);
            return later(connection, turn.head(), decision);
        }
    }

    /** The transaction is of no more use: what the run came to is stamped after the next claim, if that still finds the row at this turn. */
    private Step later(Connection connection, Task head, Decision decision) {
        try {
            connection.rollback();
        } catch (SQLException gone) {
            LOG.debug("The connection went with its transaction", gone);
        }
        if (!(decision instanceof Decision.Repeat repeat)) {
            head.memo(Memo.of(head).toStamp(decision));
            return stepBack(head, StepBack.LOST, Backoff.LOST);
        }
        suspicion.drop(connection, head);
        if (repeat.why() != StepBack.CONFLICT) {
            return stepBack(head, repeat.why(), Backoff.LOST);
        }
        head.memo(Memo.of(head).oneMoreConflict());
        return stepBack(head, StepBack.CONFLICT, Backoff.CONFLICT);
    }

    private @Nullable SQLException takeBack(Connection connection) {
        try {
            table.takeBack(connection);
            return null;
        } catch (SQLException unusable) {
            return named(connection, unusable);
        }
    }

    /** The pool takes a connection away as soon as it sees it broken, and what is asked of it then says nothing but "closed". */
    private static SQLException named(Connection connection, SQLException error) {
        try {
            return error.getSQLState() == null && connection.isClosed()
                    ? new SQLException(error.getMessage(), "08003", error)
                    : error;
        } catch (SQLException alsoThat) {
            return error;
        }
    }

    private Step release(Connection connection, Task head, StepBack why, Backoff backoff) throws SQLException {
        connection.rollback();
        return stepBack(head, why, backoff);
    }

    Step stepBack(Task head, StepBack why, Backoff backoff) {
        stamper.metrics().steppedBack(why);
        return Step.again(backoff.after(head.countStepBack()));
    }

    private Decisions.Facts facts(Task head, CommandRow row) {
        return facts(head, row, run.timeout());
    }

    Decisions.Facts facts(Task head, CommandRow row, Duration timeout) {
        return new Decisions.Facts(
                row,
                rules.config().policyOf(row.name()),
                timeout,
                rules.secrets().veil(row),
                Memo.of(head).conflicts(),
                rules.clock().instant(),
                rules.chance().getAsDouble());
    }
}
