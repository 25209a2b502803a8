package io.tailrace.executor.run;

import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.claim.Stamp;
import io.tailrace.executor.claim.Until;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.settle.Answers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims and runs one row over a connection of the caller's, by the rules of {@link RowRunner}, for whoever has neither a queue nor a
 * record of it: an application right after its own commit, a test. The transaction is the caller's to begin and, unless {@link End} does, to
 * end. Immutable; thread-safe as far as each thread brings its own connection.
 */
public final class SingleRun {

    private static final Logger LOG = LoggerFactory.getLogger(SingleRun.class);

    private final RowTable table;
    private final Handling handling;
    private final HandlerRun run;
    private final RowRunner.Rules rules;
    private final End end;

    /** What comes after a handler that went well and the note that its row is done; when it throws, neither has been. */
    @FunctionalInterface
    public interface End {

        /** Commits, or sees whether that could be done. */
        void accept(Connection connection) throws SQLException;
    }

    /** Over one database; the gate of the rules is not asked. */
    public SingleRun(RowTable table, Handling handling, HandlerRun run, RowRunner.Rules rules, End end) {
        this.table = table;
        this.handling = handling;
        this.run = run;
        this.rules = rules;
        this.end = end;
    }

    /** What came of it. */
    public static final class Ran {

        private final Claim claim;
        private final @Nullable Decision decision;

        private Ran(Claim claim, @Nullable Decision decision) {
            this.claim = claim;
            this.decision = decision;
        }

        /** What the database said; nothing was run unless it is {@code RUN}. */
        public Claim claim() {
            return claim;
        }

        /** Its handler went well, and its row is done. */
        public boolean isDone() {
            return claim.verdict() == Claim.Verdict.RUN && decision == null;
        }

        /** What became of the row, or is to become of it; empty when it was not run, or cannot be said because the connection is lost. */
        public Optional<Outcome> outcome() {
            if (claim.verdict() != Claim.Verdict.RUN) {
                return Optional.empty();
            }
            return decision == null
                    ? Optional.of(Outcome.COMPLETED)
                    : decision.match(
                            wait -> Optional.of(wait.outcome()),
                            hold -> Optional.of(Outcome.HELD),
                            die -> Optional.of(Outcome.DEAD),
                            repeat -> Optional.empty());
        }

        /** Why it did not go well. Secrets of the row are hidden in it. */
        public Optional<ErrorTrail> trail() {
            return decision == null
                    ? Optional.empty()
                    : decision.match(
                            wait -> Optional.ofNullable(wait.trail()),
                            hold -> Optional.ofNullable(hold.trail()),
                            die -> Optional.of(die.trail()),
                            repeat -> Optional.empty());
        }

        /** Why it is dead; empty when it is not. */
        public Optional<Reason> reason() {
            return decision instanceof Decision.Die die ? Optional.of(die.reason()) : Optional.empty();
        }
    }

    /**
     * Claims a row and runs it if it is the caller's. When it did not go well, what its handler wrote is taken back, and nothing is written
     * down yet.
     *
     * @throws SQLException when it could not be claimed, or its run not begun
     */
    public Ran run(Connection connection, ClaimRequest request) throws SQLException {
        Claim claim = table.claim(connection, request);
        return new Ran(claim, claim.verdict() == Claim.Verdict.RUN ? ran(connection, claim) : null);
    }

    /**
     * Writes down what is to become of a row that did not go well, in the same transaction.
     *
     * @return what was written; empty when there is nothing to write
     */
    public Optional<Stamp> stamp(Connection connection, Ran ran) throws SQLException {
        Claim claim = ran.claim();
        if (ran.decision instanceof Decision.Wait wait) {
            return table.waiting(connection, claim, wait.used(), fromNow(wait.until()), lastError(wait.trail()));
        }
        return ran.decision instanceof Decision.Die die
                ? table.dead(
                        connection,
                        claim,
                        die.used(),
                        die.reason(),
                        lastError(die.trail()),
                        rules.config().haltsKey(claim.theRow().name()))
                : Optional.empty();
    }

    private @Nullable Decision ran(Connection connection, Claim claim) throws SQLException {
        Optional<CommandHandler> handler = handling.handlerOf(claim);
        if (handler.isEmpty()) {
            return missing(claim);
        }
        Ending ending = run.call(handler.get(), connection, claim);
        return ending.isSuccess()
                ? completed(connection, claim, ending)
                : Decisions.after(ending, takeBack(connection, ending), facts(claim.theRow()));
    }

    private Decision missing(Claim claim) {
        CommandRow row = claim.theRow();
        return claim.request().event() == null
                ? Decisions.missing(row, false, rules.names().whyNot(row.name()))
                : Decisions.missingForEvent(facts(row));
    }

    private @Nullable Decision completed(Connection connection, Claim claim, Ending ending) {
        Decision refused;
        try {
            if (table.complete(connection, claim)) {
                end.accept(connection);
                return null;
            }
            refused = Decisions.claimLost(facts(claim.theRow()));
        } catch (SQLException e) {
            refused = Decisions.afterCompletion(e, facts(claim.theRow()));
        }
        takeBack(connection, ending);
        return refused;
    }

    private @Nullable SQLException takeBack(Connection connection, Ending ending) {
        if (!ending.begun()) {
            return null;
        }
        try {
            table.takeBack(connection);
            return null;
        } catch (SQLException unusable) {
            LOG.debug("The transaction is of no more use", unusable);
            return unusable;
        }
    }

    /** The clock of the rules need not be that of the database: a time from now is the same by both. */
    private Until fromNow(Until until) {
        if (until.epochMillis().isEmpty()) {
            return until;
        }
        Duration ahead = Duration.between(
                rules.clock().instant(),
                Instant.ofEpochMilli(until.epochMillis().getAsLong()));
        // In whole milliseconds, and rounded up: never early.
        return Until.after(ahead.isNegative() ? Duration.ZERO : ahead.plusNanos(999_999));
    }

    private static @Nullable String lastError(@Nullable ErrorTrail trail) {
        return trail == null ? null : Answers.lastError(trail);
    }

    /** Nobody comes again for a conflict: it counts like any other failure. */
    private Decisions.Facts facts(CommandRow row) {
        return new Decisions.Facts(
                row,
                rules.config().policyOf(row.name()),
                run.timeout(),
                rules.secrets().veil(row),
                AttemptUse.MOST_CONFLICTS,
                rules.clock().instant(),
                rules.chance().getAsDouble());
    }
}
