package io.tailrace.client;

import static io.tailrace.client.Database.begin;
import static io.tailrace.client.Database.lent;
import static io.tailrace.client.Database.rows;
import static io.tailrace.client.Database.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@RealParts
class CommandsTest {

    private static final Commands COMMANDS = TailraceClient.create().commands();

    @ParameterizedTest
    @CsvSource({"UTC,Pacific/Kiritimati", "Asia/Kathmandu,UTC", "America/St_Johns,Europe/Berlin"})
    void anInstantIsAnInstantInEveryTimeZone(String session, String jvm, Stack stack) throws Exception {
        Database.migrate(stack);
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(jvm));
        try (Connection connection = begin(stack)) {
            rows(connection, "SELECT set_config('TimeZone', '" + session + "', false)");
            schedule(connection, "2026-10-25T00:30:00Z", "1792888200000000");
            schedule(connection, "2026-10-25T01:30:00Z", "1792891800000000");
            schedule(connection, "+10000-01-01T00:00:00Z", "253402300800000000");
            schedule(connection, "+294276-12-31T00:00:00Z", "9224317929600000000");
            schedule(connection, "1969-12-31T23:59:59.999999Z", "-1");
            // Never early: what is finer than a microsecond is rounded up.
            schedule(connection, "2026-01-01T00:00:00.000000001Z", "1767225600000001");
            schedule(connection, Instant.MAX, "Infinity");
            schedule(connection, Instant.MIN, "-Infinity");
            connection.rollback();
        } finally {
            TimeZone.setDefault(before);
        }
    }

    private static void schedule(Connection connection, String runAt, String micros) throws Exception {
        schedule(connection, Instant.parse(runAt), micros);
    }

    private static void schedule(Connection connection, Instant runAt, String micros) throws Exception {
        UUID id = COMMANDS.schedule(connection, Command.of("mail"), runAt);
        UUID other = COMMANDS.schedule(connection, Command.of("mail").dedup(micros, OnDuplicate.REJECT));
        assertThat(COMMANDS.reschedule(connection, other, runAt)).isEqualTo(CommandChange.OK);
        assertThat(rows(
                        connection,
                        "SELECT (extract(epoch FROM run_at) * 1000000)::text FROM tailrace.internal_command WHERE id IN ('"
                                + id + "', '" + other + "')"))
                .allSatisfy(row -> assertThat(row.replaceAll("\\.0+$", "")).isEqualTo(micros))
                .hasSize(2);
    }

    @Test
    void aDelayIsMeasuredByTheDatabase(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = begin(stack)) {
            COMMANDS.schedule(connection, Command.of("now"));
            COMMANDS.schedule(
                    connection,
                    Command.of("later").maxAttempts(7),
                    Duration.ofHours(36).plusNanos(1));
            connection.commit();
        }
        assertThat(
                        rows(
                                stack,
                                "SELECT command_name, max_attempts, run_at - created_at BETWEEN '-1 s' AND '0', run_at - created_at BETWEEN '35:59:59' AND '36:00:00.00001' FROM tailrace.internal_command ORDER BY run_at"))
                .containsExactly("now|null|t|f", "later|7|f|t");
    }

    @Test
    void aTransactionThatRollsBackHasScheduledAndChangedNothing(Stack stack) throws Exception {
        Database.migrate(stack);
        String all = "SELECT id, status, turn, run_at > now() FROM tailrace.internal_command ORDER BY id";
        try (Connection connection = begin(stack)) {
            UUID before = COMMANDS.schedule(connection, dedup(OnDuplicate.REJECT), Duration.ofHours(1));
            connection.commit();

            COMMANDS.schedule(connection, Command.of("mail"));
            COMMANDS.schedule(connection, Command.of("mail"), Duration.ofHours(1));
            COMMANDS.schedule(connection, dedup(OnDuplicate.REPLACE));
            connection.rollback();
            COMMANDS.runNow(connection, before);
            connection.rollback();
            COMMANDS.cancel(connection, before);
            connection.rollback();

            assertThat(rows(stack, all)).containsExactly(before + "|PENDING|0|t");
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutATransactionOnlyWhatStandsAloneIsScheduled(OnDuplicate mode, Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = stack.connect()) {
            Command plain = Command.of("mail");
            for (Command command : List.of(plain, plain.dedup("welcome:7", mode))) {
                assertThatThrownBy(() -> COMMANDS.schedule(connection, command))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("setAutoCommit(false)")
                        .hasMessageContaining("standingAlone()");
                assertThatThrownBy(() -> COMMANDS.schedule(connection, command, Duration.ofHours(1)))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> COMMANDS.schedule(connection, command, Instant.EPOCH))
                        .isInstanceOf(IllegalStateException.class);
            }
            assertThat(value(stack, "SELECT count(*) FROM tailrace.internal_command"))
                    .isEqualTo("0");

            UUID plainId = COMMANDS.schedule(connection, plain.standingAlone(), Duration.ofHours(1));
            UUID dedupId = COMMANDS.schedule(
                    connection, plain.dedup("welcome:7", mode).standingAlone(), Instant.parse("2030-01-01T00:00:00Z"));
            // These change one row, which says by itself what it is: no transaction is wanted.
            assertThat(COMMANDS.runNow(connection, plainId)).isEqualTo(CommandChange.OK);
            assertThat(COMMANDS.cancel(connection, dedupId)).isEqualTo(CommandChange.OK);
            assertThat(rows(stack, "SELECT id, status, run_at <= now() FROM tailrace.internal_command ORDER BY run_at"))
                    .containsExactly(plainId + "|PENDING|t", dedupId + "|CANCELLED|f");
        }
    }

    @Test
    void oneCommandIsPendingUnderADedupKey(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = begin(stack)) {
            Connection lent = lent(connection);
            UUID first = COMMANDS.schedule(lent, dedup(OnDuplicate.REJECT));
            assertThat(COMMANDS.schedule(lent, dedup(OnDuplicate.IGNORE))).isEqualTo(first);
            assertThatThrownBy(() -> COMMANDS.schedule(lent, dedup(OnDuplicate.REJECT)))
                    .isInstanceOfSatisfying(DuplicateCommandException.class, duplicate -> {
                        assertThat(duplicate.pending()).isEqualTo(first);
                        assertThat(duplicate.running()).isFalse();
                    });
            UUID second = COMMANDS.schedule(
                    lent, dedup(OnDuplicate.REPLACE).json("2"), Instant.parse("2030-01-01T00:00:00Z"));
            assertThat(rows(
                            connection,
                            "SELECT id, status, payload, run_at > now() FROM tailrace.internal_command ORDER BY id"))
                    .containsExactly(first + "|CANCELLED|null|f", second + "|PENDING|2|t");
            assertThat(COMMANDS.cancel(lent, second)).isEqualTo(CommandChange.OK);
            assertThat(COMMANDS.schedule(lent, dedup(OnDuplicate.REJECT))).isNotIn(first, second);
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofTwoConnectionsOneSchedules(OnDuplicate mode, Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection one = begin(stack);
                Connection two = begin(stack)) {
            UUID first = COMMANDS.schedule(one, dedup(mode));
            int pid = Integer.parseInt(rows(two, "SELECT pg_backend_pid()").get(0));
            CompletableFuture<UUID> second = CompletableFuture.supplyAsync(() -> {
                try {
                    return COMMANDS.schedule(two, dedup(mode));
                } catch (java.sql.SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            // The second one waits for the first one's transaction, as only its end decides.
            Awaitility.await()
                    .until(() -> value(stack, "SELECT wait_event_type FROM pg_stat_activity WHERE pid = " + pid)
                            .equals("Lock"));
            assertThat(second).isNotDone();
            one.commit();
            switch (mode) {
                case REJECT ->
                    assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(DuplicateCommandException.class);
                case IGNORE -> assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(first);
                case REPLACE -> assertThat(second.get(10, TimeUnit.SECONDS)).isNotEqualTo(first);
            }
            two.commit();
        }
        assertThat(value(stack, "SELECT count(*) FROM tailrace.internal_command WHERE status = 'PENDING'"))
                .isEqualTo("1");
    }

    @Test
    void whatAWorkerHasIsNotChanged(Stack stack) throws Exception {
        Database.migrate(stack);
        UUID id;
        try (Connection connection = begin(stack)) {
            id = COMMANDS.schedule(connection, dedup(OnDuplicate.REJECT));
            connection.commit();
        }
        try (Connection worker = begin(stack);
                Connection other = begin(stack)) {
            rows(worker, "SELECT FROM tailrace.internal_command WHERE id = '" + id + "' FOR UPDATE");
            assertThat(COMMANDS.cancel(other, id)).isEqualTo(CommandChange.RUNNING);
            assertThat(COMMANDS.runNow(other, id)).isEqualTo(CommandChange.RUNNING);
            assertThat(COMMANDS.reschedule(other, id, Duration.ZERO)).isEqualTo(CommandChange.RUNNING);
            assertThatThrownBy(() -> COMMANDS.schedule(other, dedup(OnDuplicate.REPLACE)))
                    .isInstanceOfSatisfying(
                            DuplicateCommandException.class,
                            duplicate -> assertThat(duplicate.running()).isTrue());
            worker.commit();
            rows(
                    other,
                    "WITH claimed AS (UPDATE tailrace.internal_command SET claimed_until = now() + interval '1 minute' RETURNING id) SELECT FROM claimed");
            assertThat(COMMANDS.cancel(other, id)).isEqualTo(CommandChange.RUNNING);
            other.rollback();
            assertThat(COMMANDS.cancel(other, UUID.randomUUID())).isEqualTo(CommandChange.NOT_FOUND);
            assertThat(COMMANDS.cancel(other, id)).isEqualTo(CommandChange.OK);
            assertThat(COMMANDS.cancel(other, id)).isEqualTo(CommandChange.NOT_PENDING);
            other.rollback();
        }
    }

    @Test
    void aRunMayScheduleItsOwnSuccessorButNotChangeItself(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection worker = begin(stack)) {
            UUID running = COMMANDS.schedule(worker, dedup(OnDuplicate.REJECT));
            worker.commit();
            rows(worker, "SELECT FROM tailrace.internal_command WHERE id = '" + running + "' FOR UPDATE");
            rows(worker, "SELECT set_config('tailrace.running_command', '" + running + "', true)");

            assertThat(COMMANDS.cancel(worker, running)).isEqualTo(CommandChange.RUNNING);
            UUID successor = COMMANDS.schedule(worker, dedup(OnDuplicate.REJECT), Duration.ofDays(1));
            assertThat(rows(worker, "SELECT id, status FROM tailrace.internal_command ORDER BY run_at"))
                    .containsExactly(running + "|COMPLETED", successor + "|PENDING");
            worker.rollback();
            // The mark ends with the transaction.
            assertThat(COMMANDS.cancel(worker, running)).isEqualTo(CommandChange.OK);
            worker.rollback();
        }
    }

    private static Command dedup(OnDuplicate mode) {
        return Command.of("mail").dedup("welcome:7", mode);
    }
}
