package io.tailrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Veil;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.Until;
import io.tailrace.executor.handler.CommandRejected;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.metric.ExecutorMetrics.StepBack;
import io.tailrace.executor.run.RunGuard.Ended;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecisionsTest {

    private static final Instant NOW = Instant.parse("2026-03-29T01:59:59Z");

    private static final SQLException GONE = new SQLException("closed", "08003");

    @Test
    void aFailureWaitsByThePolicyAndDiesWithTheLastAttempt() {
        assertThat(decide(Result.failure("no"), null, facts(0, 0)))
                .isInstanceOfSatisfying(Decision.Wait.class, wait -> {
                    assertThat(wait.used()).isEqualTo(1);
                    assertThat(wait.until()).isEqualTo(Until.after(Duration.ofSeconds(10)));
                    assertThat(wait.outcome()).isEqualTo(Outcome.FAILED);
                });
        assertThat(decide(Result.failure("no"), null, facts(3, 0)))
                .isInstanceOfSatisfying(
                        Decision.Wait.class,
                        wait -> assertThat(wait.until()).isEqualTo(Until.after(Duration.ofSeconds(80))));
        assertThat(decide(Result.failure("no"), null, facts(4, 0)))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.RETRIES_EXHAUSTED));
    }

    @Test
    void whatMayKillIsNeverDeadBeforeItHas() {
        assertThat(Decisions.workerDied(facts(0, 0)).until()).isEqualTo(Until.after(Duration.ofSeconds(10)));
        Decision.Wait last = Decisions.workerDied(facts(4, 0));
        assertThat(last.used()).isEqualTo(1);
        assertThat(last.until()).isEqualTo(Until.after(Duration.ZERO));
    }

    @Test
    void theRowsOwnNumberOfAttemptsCounts() {
        Decisions.Facts facts = new Decisions.Facts(
                row(1, OptionalInt.of(2)), RetryPolicy.COMMANDS, Duration.ofSeconds(60), Veil.NONE, 0, NOW, 0.5);
        assertThat(decide(Result.failure("no"), null, facts)).isInstanceOf(Decision.Die.class);
    }

    @Test
    void whatAHandlerQuotesOfTheRowsSecretsIsNotWrittenDown() {
        Veil veil = SecretPaths.of(List.of("card"))
                .veil(Bytes.utf8("{\"card\":\"4711\"}"), "application/json", Headers.empty());
        Decisions.Facts facts = new Decisions.Facts(
                row(0, OptionalInt.of(5)), RetryPolicy.COMMANDS, Duration.ofSeconds(60), veil, 0, NOW, 0.5);
        SQLException duplicate = new SQLException("Key (card)=(4711) already exists", "23505");

        assertThat(List.of(
                        decide(Result.failure("no card 4711"), null, facts),
                        decide(Result.rejected("no card 4711"), null, facts),
                        decide(Result.unavailable("bank of 4711", Duration.ofSeconds(1)), null, facts),
                        decide(null, new IllegalStateException("4711", duplicate), facts),
                        decide(null, new PayloadUnreadable("4711"), facts),
                        Decisions.afterCompletion(duplicate, facts)))
                .allSatisfy(decision ->
                        assertThat(decision.toString()).doesNotContain("4711").contains(Veil.HIDDEN));
    }

    @Test
    void whatWouldNotHelpDiesAtOnce() {
        assertThat(decide(Result.rejected("no"), null, facts(0, 0)))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.REJECTED));
        assertThat(decide(null, new CommandRejected("no"), facts(0, 0)))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.REJECTED));
        assertThat(decide(null, new PayloadUnreadable("no"), facts(0, 0)))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.PAYLOAD_UNREADABLE));
    }

    @Test
    void aNameThatNobodyAnswersToWaitsIfToldButNotForWhatIsNoName() {
        assertThat(Decisions.missing(named("send-invoice"), true, "nobody"))
                .isInstanceOfSatisfying(
                        Decision.Hold.class, hold -> assertThat(hold.name()).isEqualTo("send-invoice"));
        assertThat(Decisions.missing(named("send-invoice"), false, "nobody"))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.HANDLER_MISSING));
        assertThat(Decisions.missing(named("no name"), true, "nobody"))
                .isInstanceOfSatisfying(
                        Decision.Die.class, die -> assertThat(die.reason()).isEqualTo(Reason.NAME_INVALID));
    }

    @Test
    void aConflictIsRepeatedThreeTimes() {
        RuntimeException deadlock = new RuntimeException(new SQLException("deadlock", "40P01"));
        for (int before = 0; before < 3; before++) {
            assertThat(decide(null, deadlock, facts(0, before))).isEqualTo(new Decision.Repeat(StepBack.CONFLICT));
        }
        assertThat(decide(null, deadlock, facts(0, 3))).isInstanceOf(Decision.Wait.class);
        assertThat(Decisions.afterCompletion(new SQLException("late", "40001"), facts(0, 2)))
                .isEqualTo(new Decision.Repeat(StepBack.CONFLICT));
        assertThat(Decisions.afterCompletion(new SQLException("late", "40001"), facts(0, 3)))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aLostConnectionUsesNothingOnlyIfItIsOurs() {
        SQLException elsewhere = new SQLException("another database is down", "08006");
        assertThat(decide(null, elsewhere, facts(0, 0))).isInstanceOf(Decision.Wait.class);
        Ending ending = new Ending(null, elsewhere, Ended.NOT, false);
        assertThat(Decisions.after(ending, GONE, facts(0, 0))).isEqualTo(new Decision.Repeat(StepBack.LOST));
        Ending swallowed = new Ending(Result.failure("could not"), null, Ended.NOT, false);
        assertThat(Decisions.after(swallowed, GONE, facts(0, 0))).isEqualTo(new Decision.Repeat(StepBack.LOST));
        assertThat(Decisions.afterCompletion(GONE, facts(0, 0))).isEqualTo(new Decision.Repeat(StepBack.LOST));
    }

    @Test
    void aTimeoutUsesAnAttemptThoughItTakesTheConnectionToo() {
        Ending idle = new Ending(null, new SQLException("idle in transaction", "25P03"), Ended.NOT, false);
        assertThat(Decisions.after(idle, GONE, facts(0, 0))).isInstanceOf(Decision.Wait.class);
        Ending interrupted = new Ending(null, new InterruptedException(), Ended.TIMEOUT, false);
        assertThat(Decisions.after(interrupted, null, facts(0, 0)))
                .isInstanceOfSatisfying(Decision.Wait.class, wait -> {
                    assertThat(wait.used()).isEqualTo(1);
                    assertThat(wait.trail())
                            .satisfies(trail -> assertThat(trail.errorClass()).isEqualTo("Timeout"));
                });
        assertThat(Decisions.afterCompletion(new SQLException("", "25P04"), facts(0, 0)))
                .isInstanceOf(Decision.Wait.class);
    }

    @Test
    void aStopUsesNothing() {
        Ending cancelled = new Ending(null, new SQLException("cancelled", "57014"), Ended.STOP, false);
        assertThat(Decisions.after(cancelled, null, facts(4, 0))).isEqualTo(new Decision.Repeat(StepBack.LOST));
    }

    @Test
    void anErrorAtCommitUsesAnAttempt() {
        assertThat(Decisions.afterCompletion(new SQLException("deferred constraint", "23503"), facts(0, 0)))
                .isInstanceOfSatisfying(
                        Decision.Wait.class, wait -> assertThat(wait.used()).isEqualTo(1));
    }

    @Test
    void snoozeAndUnavailableUseNothingWithinTheirLimits() {
        assertThat(decide(Result.snooze(NOW.plusSeconds(5)), null, facts(4, 0)))
                .isEqualTo(new Decision.Wait(0, Until.at(NOW.plusSeconds(5).toEpochMilli()), null, Outcome.SNOOZED));
        assertThat(decide(Result.snooze(Instant.MIN), null, facts(4, 0)))
                .isEqualTo(new Decision.Wait(0, Until.at(NOW.toEpochMilli()), null, Outcome.SNOOZED));
        assertThat(decide(Result.snooze(Instant.MAX), null, facts(0, 0)))
                .isInstanceOfSatisfying(
                        Decision.Wait.class, wait -> assertThat(wait.used()).isEqualTo(1));
        assertThat(decide(Result.unavailable("mail", Duration.ofMinutes(1)), null, facts(4, 0)))
                .isInstanceOfSatisfying(
                        Decision.Wait.class, wait -> assertThat(wait.used()).isZero());
    }

    private static Decision decide(@Nullable Result result, @Nullable Throwable thrown, Decisions.Facts facts) {
        return Decisions.after(new Ending(result, thrown, Ended.NOT, false), null, facts);
    }

    private static Decisions.Facts facts(int attempts, int conflicts) {
        return new Decisions.Facts(
                row(attempts, OptionalInt.empty()),
                RetryPolicy.COMMANDS,
                Duration.ofSeconds(60),
                Veil.NONE,
                conflicts,
                NOW,
                0.5);
    }

    private static CommandRow named(String name) {
        return row(name, 0, OptionalInt.empty());
    }

    private static CommandRow row(int attempts, OptionalInt maxAttempts) {
        return row("ship", attempts, maxAttempts);
    }

    private static CommandRow row(String name, int attempts, OptionalInt maxAttempts) {
        return new CommandRow(
                name,
                "k",
                null,
                "application/json",
                null,
                Origin.NONE,
                new CommandRow.Progress("PENDING", 0, attempts, maxAttempts, null, null, null, null, null, null),
                0);
    }
}
