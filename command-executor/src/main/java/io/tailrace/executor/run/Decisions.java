package io.tailrace.executor.run;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.redact.Veil;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.Until;
import io.tailrace.executor.handler.CommandRejected;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Concludes from the end of a run what is to become of the row. Pure. */
final class Decisions {

    /** Error class of a failure that the handler returned. */
    static final String RETURNED = "Failure";

    /** What stands on a row that ended its process. */
    static final ErrorTrail WORKER_DIED =
            ErrorTrail.of("WorkerDied", "worker died: its process ended while it ran this");

    private static final String MISSING = "HandlerMissing";

    private Decisions() {}

    /**
     * What is known when a decision is made.
     *
     * @param row as it was claimed
     * @param policy of its name
     * @param timeout of a run
     * @param veil over what the handler says, which may quote the row's secrets
     * @param conflicts of this row in a row, before this one
     * @param now by our clock
     * @param chance for the jitter, in [0, 1)
     */
    record Facts(
            CommandRow row,
            RetryPolicy policy,
            Duration timeout,
            Veil veil,
            int conflicts,
            Instant now,
            double chance) {

        int maxAttempts() {
            return row.progress().maxAttempts().orElse(policy.maxAttempts());
        }
    }

    /**
     * After a run that was not a success.
     *
     * @param unusable why the transaction could not be taken back to the savepoint; absent when it could
     */
    static Decision after(Ending ending, @Nullable SQLException unusable, Facts facts) {
        if (ending.ended() == RunGuard.Ended.STOP || ending.ended() == RunGuard.Ended.FENCED) {
            return new Decision.Repeat(StepBack.LOST);
        }
        if (ending.ended() == RunGuard.Ended.TIMEOUT) {
            return failure(timeout(facts, ending.thrown()), facts);
        }
        AttemptUse thrown = ending.thrown() == null ? AttemptUse.ATTEMPT : AttemptUse.of(ending.thrown());
        if (unusable != null) {
            AttemptUse lost = AttemptUse.of(unusable);
            // The first error says why the session is gone, if it says anything; the second only that it is.
            if (thrown == AttemptUse.TIMEOUT || lost == AttemptUse.TIMEOUT) {
                return failure(timeout(facts, ending.thrown() != null ? ending.thrown() : unusable), facts);
            }
            if (lost == AttemptUse.LOST) {
                return new Decision.Repeat(StepBack.LOST);
            }
        }
        if (thrown == AttemptUse.CONFLICT && facts.conflicts() < AttemptUse.MOST_CONFLICTS) {
            return new Decision.Repeat(StepBack.CONFLICT);
        }
        if (ending.thrown() != null) {
            return thrown(ending.thrown(), facts);
        }
        Result result = Objects.requireNonNull(ending.result(), "a run ends with a result or an exception");
        return result.match(
                success -> failure(transactionGone(unusable, facts), facts),
                failure -> returned(failure, facts),
                unavailable -> new Decision.Wait(
                        0,
                        Until.after(unavailable.retryAfter()),
                        facts.veil().trailOf("Unavailable", unavailable.dependency() + " is unavailable"),
                        Outcome.UNAVAILABLE),
                snooze -> snoozed(snooze.until(), facts));
    }

    /**
     * After complete() or COMMIT refused what a handler had done; the transaction is gone in any case.
     *
     * @param error what the database said
     */
    static Decision afterCompletion(SQLException error, Facts facts) {
        return switch (AttemptUse.of(error)) {
            // The row is read again: it may be done.
            case LOST -> new Decision.Repeat(StepBack.LOST);
            case CONFLICT ->
                facts.conflicts() < AttemptUse.MOST_CONFLICTS
                        ? new Decision.Repeat(StepBack.CONFLICT)
                        : failure(facts.veil().trailOf(error), facts);
            case TIMEOUT -> failure(timeout(facts, error), facts);
            case ATTEMPT -> failure(facts.veil().trailOf(error), facts);
        };
    }

    /**
     * Of a row that may kill this process, before it runs: what is to stand on it if it does. Never death, which would let go of its
     * dedup_key although it runs: after the last attempt it is due at once, and who meets it then says {@link #diedOfIt}.
     */
    static Decision.Wait workerDied(Facts facts) {
        return failure(WORKER_DIED, facts) instanceof Decision.Wait wait
                ? wait
                : new Decision.Wait(1, Until.after(Duration.ZERO), WORKER_DIED, Outcome.FAILED);
    }

    /** Of a row that has used its last attempt up, and a process with it. */
    static Decision diedOfIt() {
        return new Decision.Die(0, Reason.RETRIES_EXHAUSTED, WORKER_DIED);
    }

    /** After complete() said that the claim is not ours any more. */
    static Decision claimLost(Facts facts) {
        return failure(transactionGone(null, facts), facts);
    }

    /**
     * No handler answers to the name. One that is no name at all was given up by the router and replayed by an operator; no worker
     * will ever have a handler for it.
     *
     * @param wait whether another worker may have one
     * @param why for people
     */
    static Decision missing(CommandRow row, boolean wait, String why) {
        Optional<String> problem = RowName.command(row.name()).match(name -> Optional.empty(), Optional::of);
        if (problem.isPresent()) {
            return new Decision.Die(1, Reason.NAME_INVALID, ErrorTrail.of("NameInvalid", problem.get()));
        }
        return wait
                ? new Decision.Hold(row.name(), ErrorTrail.of(MISSING, why + ", it waits"))
                : new Decision.Die(1, Reason.HANDLER_MISSING, ErrorTrail.of(MISSING, why));
    }

    /**
     * No handler answers to an event: it is tried once more on the normal wait, for a worker that has one, and then dead.
     */
    static Decision missingForEvent(Facts facts) {
        ErrorTrail trail = ErrorTrail.of(
                MISSING, "no handler is registered for " + facts.row().name());
        int attempts = facts.row().progress().attempts() + 1;
        return attempts > 1 || facts.maxAttempts() == 1
                ? new Decision.Die(1, Reason.HANDLER_MISSING, trail)
                : new Decision.Wait(
                        1, Until.after(facts.policy().waitAfter(attempts, facts.chance())), trail, Outcome.FAILED);
    }

    /** An external handler had it and is not heard of any more. It is tried again like after any other failure. */
    static Decision expired(Facts facts) {
        return failure(
                ErrorTrail.of(
                        "ClaimExpired",
                        "the worker that ran it was not heard of for as long as its lease; whether its effect has happened is not"
                                + " known"),
                facts);
    }

    /** What a run needs cannot be had. */
    static Decision incomplete(Handling.Missing missing, Facts facts) {
        return switch (missing) {
            case GONE ->
                new Decision.Die(
                        0, Reason.ROW_GONE, ErrorTrail.of("PayloadGone", "the payload stands in no topic any more"));
            case OUT_OF_REACH ->
                new Decision.Wait(
                        0,
                        Until.after(facts.policy().waitAfter(1, facts.chance())),
                        ErrorTrail.of("PayloadOutOfReach", "the raw topic that has the payload does not answer"),
                        Outcome.UNAVAILABLE);
        };
    }

    private static Decision thrown(Throwable thrown, Facts facts) {
        ErrorTrail trail = facts.veil().trailOf(thrown);
        if (thrown instanceof PayloadUnreadable) {
            return new Decision.Die(1, Reason.PAYLOAD_UNREADABLE, trail);
        }
        return thrown instanceof CommandRejected ? new Decision.Die(1, Reason.REJECTED, trail) : failure(trail, facts);
    }

    private static Decision returned(Result.Failure failure, Facts facts) {
        ErrorTrail trail = facts.veil().trailOf(RETURNED, failure.reason());
        return failure.retryable() ? failure(trail, facts) : new Decision.Die(1, Reason.REJECTED, trail);
    }

    private static Decision snoozed(Instant until, Facts facts) {
        if (until.isAfter(facts.now().plus(Result.LONGEST_SNOOZE))) {
            return failure(
                    ErrorTrail.of(
                            RETURNED, "snoozed until " + until + ", more than " + Result.LONGEST_SNOOZE + " ahead"),
                    facts);
        }
        // One that has passed may be further back than a timestamptz goes.
        Instant wake = until.isBefore(facts.now()) ? facts.now() : until;
        return new Decision.Wait(0, Until.at(wake.toEpochMilli()), null, Outcome.SNOOZED);
    }

    private static Decision failure(ErrorTrail trail, Facts facts) {
        int attempts = facts.row().progress().attempts() + 1;
        if (attempts >= facts.maxAttempts()) {
            return new Decision.Die(1, Reason.RETRIES_EXHAUSTED, trail);
        }
        return new Decision.Wait(
                1, Until.after(facts.policy().waitAfter(attempts, facts.chance())), trail, Outcome.FAILED);
    }

    private static ErrorTrail timeout(Facts facts, @Nullable Throwable thrown) {
        String message = "the handler took longer than " + facts.timeout();
        return thrown == null
                ? ErrorTrail.of("Timeout", message)
                : new ErrorTrail(
                        "Timeout", message, facts.veil().trailOf(thrown).stack());
    }

    private static ErrorTrail transactionGone(@Nullable SQLException unusable, Facts facts) {
        String message =
                "the handler returned success and its transaction cannot commit: it has ended it, changed the command's own row, or"
                        + " passed over an error of a statement";
        return unusable == null
                ? ErrorTrail.of("TransactionGone", message)
                : new ErrorTrail(
                        "TransactionGone",
                        message,
                        facts.veil().trailOf(unusable).stack());
    }
}
