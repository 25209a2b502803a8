package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.Health;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of one command, on a real database and a real broker. */
@RealParts
class CommandExecutorTest {

    @Test
    void effectAndCompletionCommitTogether(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CommandExecutor executor = shop.executor(Effects.succeeding("ship"));
            UUID keyed = shop.due("ship", "o-1");
            UUID unkeyed = shop.due("ship", null);
            shop.awaitStatus(keyed, "COMPLETED");
            shop.awaitStatus(unkeyed, "COMPLETED");
            assertThat(shop.effects(keyed)).isEqualTo(1);
            assertThat(shop.effects(unkeyed)).isEqualTo(1);
            // The same transaction wrote both: the row versions carry one transaction id. The effect's is that of the
            // savepoint's subtransaction.
            assertThat(shop.count("SELECT count(*) FROM tailrace.internal_command c JOIN effect e ON e.command = c.id"
                            + " WHERE c.completed_at IS NOT NULL AND c.turn = 0 AND c.attempts = 0"))
                    .isEqualTo(2);
            shop.awaitAllPassed();
            assertThat(shop.allAnswers()).isEmpty();
            assertThat(executor.health().state()).isEqualTo(Health.State.READY);
        }
    }

    @Test
    void failsTwiceThenSucceedsAndEveryReleaseIsAnswered(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicInteger runs = new AtomicInteger();
            shop.executor(Effects.handler("ship", command -> {
                if (runs.incrementAndGet() < 3) {
                    throw new IllegalStateException("warehouse closed");
                }
                return Result.success();
            }));
            UUID id = shop.due("ship", "o-1");
            for (int failure = 1; failure <= 2; failure++) {
                Map<String, @Nullable String> answer =
                        shop.answersTo(id, failure).get(failure - 1);
                assertThat(answer)
                        .containsEntry("tailrace-kind", "failed")
                        .containsEntry("tailrace-turn", "" + failure)
                        .containsEntry("tailrace-attempt", "" + failure)
                        .containsEntry("tailrace-place", "1:0")
                        .containsEntry("tailrace-error-class", "java.lang.IllegalStateException")
                        .containsEntry("tailrace-error-message", "warehouse closed")
                        .containsEntry("ce_type", "ship")
                        .containsEntry("ce_partitionkey", "o-1")
                        .containsKeys("tailrace-wait", "tailrace-not-before", "tailrace-first-failed-at")
                        .doesNotContainKeys("tailrace-error-stack", "tailrace-reason");
                assertThat(shop.row(id)).containsEntry("status", "PENDING").containsEntry("attempts", "" + failure);
                assertThat(shop.effects(id)).isZero();
                // Released before it is due: the executor waits for the rest of the time, which is less than a second.
                shop.release(shop.answerRecordsTo(id, failure).get(failure - 1));
            }
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "2")
                    .containsEntry("turn", "2");
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.answersTo(id, 3).get(2))
                    .containsEntry("tailrace-kind", "done")
                    .containsEntry("tailrace-turn", "2");
            shop.awaitAllPassed();
        }
    }

    @Test
    void poisonDiesWithItsWholeTrailAndIsAnnounced(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.handler("ship", command -> Result.failure("never")));
            UUID id = shop.due("ship", "o-1");
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            shop.release(shop.answerRecordsTo(id, 2).get(1));
            assertThat(shop.answersTo(id, 3).get(2))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "retries-exhausted")
                    .containsEntry("tailrace-attempt", "3")
                    .containsEntry("tailrace-turn", "3")
                    .containsEntry("tailrace-error-message", "never")
                    .containsKeys("tailrace-error-stack", "tailrace-failed-at", "tailrace-first-failed-at");
            assertThat(shop.row(id))
                    .containsEntry("status", "DEAD")
                    .containsEntry("attempts", "3")
                    .containsEntry("reason", "retries-exhausted")
                    .containsEntry("last_error", "Failure: never");
            shop.awaitCount("SELECT count(*) FROM tailrace.internal_command WHERE announced_at IS NOT NULL", 1);
            assertThat(shop.effects(id)).isZero();
            // With its head dead the key goes on.
            UUID next = shop.due("other", "o-1");
            assertThat(shop.awaitStatus(next, "DEAD")).containsEntry("reason", "handler-missing");
        }
    }

    @Test
    void terminalFailuresDieAtOnceEachWithItsReason(Stack stack) throws Exception {
        record Order(@Nullable String customer) {}
        try (Shop shop = Shop.open(stack)) {
            shop.executor(
                    Effects.handler("rejects", command -> Result.rejected("closed account")),
                    Effects.handler("unreadable", command -> {
                        command.payloadAs(Integer.class);
                        return Result.success();
                    }),
                    Effects.handler("readable", command -> {
                        assertThat(command.payloadAs(Order.class)).isEqualTo(new Order(null));
                        return Result.success();
                    }));
            UUID rejected = shop.due("rejects", null);
            UUID unreadable = shop.due("unreadable", null);
            UUID missing = shop.due("nobody", null);
            UUID buried = shop.insert("..", "k");
            shop.bury(buried, "..", "k", "name-invalid");
            UUID readable = shop.due("readable", null);
            assertThat(shop.answersTo(rejected, 1).get(0)).containsEntry("tailrace-reason", "rejected");
            assertThat(shop.answersTo(unreadable, 1).get(0))
                    .containsEntry("tailrace-reason", "payload-unreadable")
                    .containsEntry("tailrace-error-class", PayloadUnreadable.class.getName());
            assertThat(shop.answersTo(missing, 1).get(0)).containsEntry("tailrace-reason", "handler-missing");
            assertThat(shop.answersTo(buried, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "name-invalid")
                    .containsEntry("tailrace-attempt", "0");
            assertThat(shop.row(buried)).containsEntry("status", "DEAD").containsEntry("reason", "name-invalid");
            shop.awaitStatus(readable, "COMPLETED");
        }
    }

    @Test
    void snoozeAndUnavailableUseNoAttempt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicInteger runs = new AtomicInteger();
            shop.executor(Effects.handler("ship", command -> switch (runs.incrementAndGet()) {
                case 1 -> Result.snooze(Instant.now().plusMillis(300));
                case 2 -> Result.unavailable("carrier", Duration.ofMillis(100));
                default -> Result.success();
            }));
            UUID id = shop.due("ship", "o-1");
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "0")
                    .doesNotContainKey("tailrace-error-class");
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            assertThat(shop.answersTo(id, 2).get(1))
                    .containsEntry("tailrace-attempt", "0")
                    .containsEntry("tailrace-error-message", "carrier is unavailable");
            shop.release(shop.answerRecordsTo(id, 2).get(1));
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "0")
                    .containsEntry("turn", "2");
            assertThat(shop.effects(id)).isEqualTo(1);
        }
    }

    @Test
    void whatIsNotDueRunsLaterAndWhatWasCancelledNever(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.succeeding("ship"));
            UUID cancelled = shop.insert("ship", "o-1");
            stack.execute("SELECT tailrace.cancel_command('" + cancelled + "')");
            shop.due(cancelled, "ship", "o-1", 0);
            UUID soon = shop.insert("ship", "o-1");
            UUID later = shop.insert("ship", "o-1");
            UUID never = shop.insert("ship", "o-1");
            stack.execute(
                    "UPDATE tailrace.internal_command SET run_at = clock_timestamp() + interval '700 ms' WHERE id = '"
                            + soon + "'",
                    "UPDATE tailrace.internal_command SET run_at = clock_timestamp() + interval '1 hour' WHERE id = '"
                            + later + "'",
                    "UPDATE tailrace.internal_command SET run_at = 'infinity' WHERE id = '" + never + "'");
            for (UUID id : List.of(later, never, soon)) {
                shop.due(id, "ship", "o-1", 0);
            }
            UUID now = shop.due("ship", "o-1");
            shop.awaitStatus(now, "COMPLETED");
            shop.awaitStatus(soon, "COMPLETED");
            Map<String, @Nullable String> early = shop.answersTo(later, 1).get(0);
            assertThat(early)
                    .containsEntry("tailrace-kind", "early")
                    .containsEntry("tailrace-turn", "0")
                    .doesNotContainKey("tailrace-place");
            assertThat(Long.parseLong(String.valueOf(early.get("tailrace-wait"))))
                    .isBetween(3_500_000L, 3_600_000L);
            assertThat(shop.answersTo(never, 1).get(0)).containsEntry("tailrace-kind", "early");
            assertThat(shop.row(later)).containsEntry("turn", "0").containsEntry("place", null);
            assertThat(shop.effects(cancelled)).isZero();
            assertThat(Shop.idsOf(shop.allAnswers(), Kind.BEHIND)).isEmpty();
            shop.awaitAllPassed();
        }
    }

    @Test
    void aRowThatIsNotVisibleYetIsWaitedForAndOneThatNeverWasIsGone(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.succeeding("ship"));
            try (Connection open = stack.connect();
                    Connection undone = stack.connect()) {
                open.setAutoCommit(false);
                undone.setAutoCommit(false);
                UUID unseen = Shop.insert(open, "ship", "o-1");
                shop.due(unseen, "ship", "o-1", 0, xid32(open));
                UUID gone = Shop.insert(undone, "ship", "o-2");
                long aborted = xid32(undone);
                undone.rollback();
                shop.due(gone, "ship", "o-2", 0, aborted);
                assertThat(shop.answersTo(gone, 1).get(0))
                        .containsEntry("tailrace-kind", "dead")
                        .containsEntry("tailrace-reason", "row-gone")
                        .containsEntry(
                                "tailrace-error-message", "the row is not in its table; its transaction is aborted");
                // The key of the one that is gone goes on; the other one still waits.
                UUID next = shop.due("ship", "o-2");
                shop.awaitStatus(next, "COMPLETED");
                assertThat(shop.allAnswers()).hasSize(1);
                open.commit();
                shop.awaitStatus(unseen, "COMPLETED");
                assertThat(shop.effects(unseen)).isEqualTo(1);
            }
            shop.awaitAllPassed();
        }
    }

    static long xid32(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_current_xact_id()::text::bigint & 4294967295")) {
            row.next();
            return row.getLong(1);
        }
    }
}
