package io.tailrace.testing;

import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.Claim.Verdict;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandTable;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.hold.Gate;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.run.Around;
import io.tailrace.executor.run.CommandHandling;
import io.tailrace.executor.run.HandlerRun;
import io.tailrace.executor.run.RowRunner;
import io.tailrace.executor.run.RowSecrets;
import io.tailrace.executor.run.RunGuard;
import io.tailrace.executor.run.SingleRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs one command after the other in the test's transaction. The clock of the functions cannot be set, so the row is moved to it instead: by as much as
 * the test's clock is ahead of the database, before its claim and back after its stamp. Nobody sees that: it is within the transaction, and
 * what the functions compute from their own time is moved with it.
 */
final class OneByOne {

    /** Of a whole test: its transaction is that of all claims in it. */
    private static final Duration LIMIT = Duration.ofHours(1);

    /** In the middle: no jitter. */
    private static final double CHANCE = 0.5;

    private final Connection connection;
    private final Rows rows;
    private final Handlers handlers;
    private final TableNames tables;
    private final ExecutorConfig executor;
    private final TestClock clock;

    /** Of rows that have none in the table, in the order in which they were seen to be due. */
    private final Map<UUID, Place> places = new HashMap<>();

    private Verdict verdict = Verdict.RUN;
    private @Nullable Place last;

    OneByOne(
            Connection connection,
            Rows rows,
            Handlers handlers,
            TableNames tables,
            ExecutorConfig executor,
            TestClock clock) {
        this.connection = connection;
        this.rows = rows;
        this.handlers = handlers;
        this.tables = tables;
        this.executor = executor;
        this.clock = clock;
    }

    /** What the database said to the last claim. */
    Verdict verdict() {
        return verdict;
    }

    /** Empty when it was not run: it is done, or another one of its key stands before it. */
    Optional<Run> run(Rows.Due row, RunGuard guard) throws SQLException {
        if (row.at().equals(Instant.MAX)) {
            throw new IllegalStateException(
                    "command " + row.id() + " (" + row.name() + ") is never due; reschedule it");
        }
        Instant now = rows.now(connection);
        Instant setting = clock.setting();
        Instant at = setting == null ? now : setting;
        Duration ahead = Duration.between(now, row.at().isAfter(at) ? row.at() : at);
        Savepoint whole = connection.setSavepoint();
        rows.move(connection, row.id(), ahead.negated());
        SingleRun single = single(guard);
        SingleRun.Ran ran = claimed(single, request(row), setting == null ? null : Duration.between(now, setting));
        single.stamp(connection, ran);
        rows.move(connection, row.id(), ahead);
        // Those of the claim and of the handler stand within it: they must not pile up in the transaction of a test.
        connection.releaseSavepoint(whole);
        verdict = ran.claim().verdict();
        return verdict == Verdict.RUN ? Optional.of(result(row, ran)) : Optional.empty();
    }

    private SingleRun.Ran claimed(SingleRun single, ClaimRequest request, @Nullable Duration sqlAhead)
            throws SQLException {
        return sqlAhead == null
                ? single.run(connection, request)
                : SqlClock.during(connection, sqlAhead, () -> single.run(connection, request));
    }

    private SingleRun single(RunGuard guard) throws SQLException {
        String database = Objects.requireNonNullElse(connection.getCatalog(), "test");
        // Only its name and its tables are asked for: the connection is there.
        SourceConfig source = new SourceConfig("localhost", 5432, database, "test", Secret.of(""), "disable", tables);
        return new SingleRun(
                new CommandTable(tables, LIMIT),
                new CommandHandling(handlers),
                new HandlerRun(
                        guard,
                        source,
                        OutboxMode.TABLE,
                        executor.handlerTimeout(),
                        Around.commands(handlers),
                        (name, time) -> {}),
                new RowRunner.Rules(executor, RowSecrets.none(tables), clock, () -> CHANCE, Gate.OPEN),
                Constraints::check);
    }

    private ClaimRequest request(Rows.Due row) throws SQLException {
        return new ClaimRequest(row.id(), "testing", row.key(), place(row), row.turn(), OptionalLong.empty(), false);
    }

    private Place place(Rows.Due row) throws SQLException {
        Place own = row.place() != null ? row.place() : places.get(row.id());
        if (own != null) {
            return own;
        }
        // Nobody else gives places here, so the table is asked once.
        Place next = last == null ? rows.nextPlace(connection) : Place.unpacked(last.packed() + 1);
        last = next;
        places.put(row.id(), next);
        return next;
    }

    private Run result(Rows.Due row, SingleRun.Ran ran) throws SQLException {
        ExecutorMetrics.Outcome outcome = ran.outcome()
                .orElseThrow(() -> new SQLException(
                        "the connection was lost while command %s (%s) ran".formatted(row.id(), row.name()), "08006"));
        return new Run(
                row.id(),
                row.name(),
                Optional.ofNullable(row.key()),
                row.attempts() + 1,
                of(outcome),
                ran.trail().map(trail -> trail.errorClass() + ": " + trail.message()),
                ran.reason(),
                outcome == ExecutorMetrics.Outcome.COMPLETED ? Optional.empty() : rows.again(connection, row.id()));
    }

    private static Run.Outcome of(ExecutorMetrics.Outcome outcome) {
        return switch (outcome) {
            case COMPLETED -> Run.Outcome.COMPLETED;
            case FAILED -> Run.Outcome.FAILED;
            case DEAD -> Run.Outcome.DEAD;
            case SNOOZED -> Run.Outcome.SNOOZED;
            case UNAVAILABLE -> Run.Outcome.UNAVAILABLE;
            case HELD, BEHIND, EARLY, SETTLED, REPEATED, ROW_GONE ->
                throw new IllegalStateException("no run of a handler ends as " + outcome);
        };
    }
}
