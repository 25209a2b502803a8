package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.operations.Command.Status;
import io.tailrace.operations.Commands.Answer;
import io.tailrace.operations.Commands.Filter;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RealParts
class CommandsTest {

    private static final UUID PENDING = UUID.fromString("0190b7a0-0000-7000-8000-000000000001");
    private static final UUID DEAD = UUID.fromString("0190b7a0-0000-7000-8000-000000000002");
    private static final UUID LATER = UUID.fromString("0190b7a0-0000-7000-8000-000000000003");
    private static final UUID UNKNOWN = UUID.fromString("0190b7a0-0000-7000-8000-000000000009");

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Commands commands;

    @BeforeEach
    void rows(Stack stack) throws Exception {
        this.stack = stack;
        config = Tables.on(stack).config;
        commands = new Commands(config.source());
        stack.execute(
                "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, payload, created_at) VALUES ('"
                        + PENDING + "', 'billing.charge_card', 'k1', '{\"card\":\"4711\"}', now() - interval '3 s')",
                "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, status, attempts, place, reason, last_error,"
                        + " created_at) VALUES ('" + DEAD
                        + "', 'billing.refund', 'k2', 'DEAD', 5, (1::bigint << 48) + 7, 'rejected', 'boom', now() - interval '2 s')",
                "INSERT INTO tailrace.internal_command (id, command_name, run_at) VALUES ('" + LATER
                        + "', 'mail', 'infinity')");
    }

    @Test
    void countedListedAndShown() {
        assertThat(commands.count(Optional.empty()))
                .isEqualTo(Map.of(Status.PENDING, 2L, Status.COMPLETED, 0L, Status.DEAD, 1L, Status.CANCELLED, 0L));
        assertThat(commands.count(Optional.of("billing.*")).get(Status.PENDING)).isEqualTo(1);
        assertThat(list(Optional.empty(), Optional.empty())).containsExactly(LATER, DEAD, PENDING);
        assertThat(list(Optional.of(Status.DEAD), Optional.of("k2"))).containsExactly(DEAD);
        assertThat(list(Optional.of(Status.DEAD), Optional.of("k1"))).isEmpty();
        assertThat(commands.find(LATER))
                .get()
                .satisfies(later -> assertThat(later.timing().runAt()).isEqualTo("infinity"));
        assertThat(commands.find(DEAD)).get().satisfies(dead -> {
            assertThat(dead.delivery().place()).contains("1:7");
            assertThat(dead.delivery().reason()).contains("rejected");
            assertThat(dead.lastError()).isEqualTo("boom");
        });
        assertThat(commands.find(UNKNOWN)).isEmpty();
        assertThat(commands.find(PENDING).toString()).doesNotContain("4711");
        assertThat(commands.payload(PENDING, SecretPaths.NONE)).contains("{\"card\":\"4711\"}");
        assertThat(commands.payload(PENDING, SecretPaths.of(List.of("card")))).contains("{\"card\":null}");
    }

    @Test
    void anUnderscoreInANameIsNoWildcard() {
        assertThat(commands.count(Optional.of("billing.chargeXcard")).get(Status.PENDING))
                .isZero();
        assertThat(commands.count(Optional.of("billing.charge_card")).get(Status.PENDING))
                .isEqualTo(1);
    }

    @Test
    void theFunctionsOfTheSchemaDecideAndTheirAnswerIsHandedOn() throws Exception {
        assertThat(commands.requeue(PENDING)).isEqualTo(Answer.NOT_DEAD);
        assertThat(commands.cancel(DEAD)).isEqualTo(Answer.NOT_PENDING);
        assertThat(commands.cancel(UNKNOWN)).isEqualTo(Answer.NOT_FOUND);
        assertThat(commands.runNow(LATER)).isEqualTo(Answer.OK);
        assertThat(commands.reschedule(LATER, OffsetDateTime.parse("2100-01-01T00:00:00+02:00")))
                .isEqualTo(Answer.OK);
        assertThat(commands.find(LATER))
                .get()
                .satisfies(later -> assertThat(later.timing().runAt()).isEqualTo("2099-12-31T22:00:00.000Z"));
        try (Connection worker = stack.connect()) {
            worker.setAutoCommit(false);
            worker.createStatement()
                    .execute("SELECT FROM tailrace.internal_command WHERE id = '" + PENDING + "' FOR UPDATE");
            assertThat(commands.cancel(PENDING)).isEqualTo(Answer.RUNNING);
        }
        assertThat(commands.cancel(PENDING)).isEqualTo(Answer.OK);
        assertThat(commands.find(PENDING))
                .get()
                .satisfies(cancelled -> assertThat(cancelled.status()).isEqualTo(Status.CANCELLED));
    }

    @Test
    void pendingOnesAreCountedByWhatTheyWaitFor() throws Exception {
        stack.execute(
                // PENDING is due; before it in its key one waits for its next attempt, behind which another one stands.
                "UPDATE tailrace.internal_command SET ordering_key = 'k9' WHERE id = '" + PENDING + "'",
                "INSERT INTO tailrace.internal_command (command_name, ordering_key, place, not_before)"
                        + " VALUES ('mail', 'k1', 7, now() + interval '1 hour'), ('mail', 'k1', 8, NULL), ('mail', 'k1', NULL, NULL)",
                "INSERT INTO tailrace.internal_command (command_name, hold) VALUES ('mail', 'mail')",
                "INSERT INTO tailrace.internal_command (command_name, status) VALUES ('mail', 'COMPLETED'), ('mail', 'CANCELLED')");
        assertThat(commands.counts(Optional.empty())).isEqualTo(new CommandCounts(6, 1, 2, 3, 1, 1, 1));
        assertThat(commands.counts(Optional.of("billing.*"))).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 1, 0));
    }

    @Test
    void aDryRunTellsWhatWouldBeAnsweredAndNobodyHearsOfIt() throws Exception {
        Commands dry = Commands.dryRun(config.source());
        String before = rows();
        assertThat(dry.cancel(PENDING)).isEqualTo(Answer.OK);
        assertThat(dry.requeue(DEAD)).isEqualTo(Answer.OK);
        assertThat(dry.runNow(LATER)).isEqualTo(Answer.OK);
        assertThat(dry.cancel(DEAD)).isEqualTo(Answer.NOT_PENDING);
        assertThat(rows()).isEqualTo(before);
        assertThat(commands.cancel(PENDING)).isEqualTo(Answer.OK);
    }

    private String rows() throws Exception {
        try (Connection connection = stack.connect();
                var found = connection
                        .createStatement()
                        .executeQuery(
                                "SELECT string_agg(to_jsonb(c)::text, ' ' ORDER BY id) FROM tailrace.internal_command c")) {
            found.next();
            return String.valueOf(found.getString(1));
        }
    }

    @Test
    void whatIsDoneIsPurgedByNameAndAge() throws Exception {
        stack.execute("INSERT INTO tailrace.internal_command (command_name, status, completed_at, run_at)"
                + " SELECT name, 'COMPLETED', now() - age, now() - age FROM (VALUES ('a.x', interval '3 hours'), ('a.x', interval '1 hour'),"
                + " ('a.y', interval '3 hours'), ('b', interval '3 hours')) AS v (name, age)");
        CommandPurge purge = new CommandPurge(config);
        Duration age = Duration.ofHours(2);
        try (Tables.Reading engine = new Tables(stack, config).reading()) {
            assertThat(purge.purge(Optional.of("a.*"), age, true)).contains(2L);
            assertThat(purge.purge(Optional.of("a.*"), age, false)).contains(2L);
            assertThat(purge.purge(Optional.empty(), age, false)).contains(1L);
        }
        assertThat(commands.count(Optional.empty()))
                .containsEntry(Status.COMPLETED, 1L)
                .containsEntry(Status.PENDING, 2L);
    }

    @Test
    void aDeadLetterOfACommandIsReplayedByRequeueingItsRowOnce() {
        ParkedRows parked = new ParkedRows(config);
        parked.park(Topics.COMMANDS, DEAD.toString(), "k2", "inline", "{}");
        DeadLetters deadLetters = new DeadLetters(config);
        Replay.Order order = new Replay.Order("r", "somebody", false);
        Replay.Report report = deadLetters.replay(Topics.COMMANDS, Selection.ALL, order);
        assertThat(report.count(Outcome.REPLAYED)).isEqualTo(1);
        assertThat(commands.find(DEAD)).get().satisfies(back -> {
            assertThat(back.status()).isEqualTo(Status.PENDING);
            assertThat(back.delivery().attempts()).isZero();
        });
        assertThat(deadLetters
                        .replay(Topics.COMMANDS, Selection.ofRows(java.util.Set.of(DEAD.toString())), order)
                        .count(Outcome.ALREADY_REQUEUED))
                .isEqualTo(1);
        // The tombstone is the router's to write, in the transaction that puts the row on its lane.
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL)).hasSize(1);
    }

    @Test
    void statusTellsWhatItSeesAndNamesWhatItCannotReach() {
        ParkedRows parked = new ParkedRows(config);
        parked.parkEvents(3, 1);
        io.tailrace.operations.Status.Report seen = new io.tailrace.operations.Status(config, Clock.systemUTC()).look();
        assertThat(seen.problems()).isEmpty();
        io.tailrace.operations.Status.OfSource source = seen.sources().get(0);
        assertThat(source.slot())
                .get()
                .satisfies(slot -> assertThat(slot.walStatus()).isEqualTo("reserved"));
        assertThat(source.position()).isEmpty();
        assertThat(source.commands()).containsEntry(Status.DEAD, 1L);
        assertThat(source.dueCommands()).isEqualTo(1);
        assertThat(seen.deadLetters()).containsEntry(Topics.EVENTS, Map.of("no-route", 3L));

        TailraceConfig unreachable =
                ParkedRows.config(stack.namespace(), stack.bootstrapServers(), "127.0.0.1", 1, "nowhere");
        io.tailrace.operations.Status.Report half =
                new io.tailrace.operations.Status(unreachable, Clock.systemUTC()).look();
        assertThat(half.problems()).isNotEmpty().allMatch(problem -> problem.contains("nowhere at 127.0.0.1:1"));
        assertThat(half.deadLetters()).containsEntry(Topics.EVENTS, Map.of("no-route", 3L));
    }

    private List<UUID> list(Optional<Status> status, Optional<String> key) {
        return commands.list(new Filter(status, Optional.empty(), key, 10)).stream()
                .map(Command::id)
                .toList();
    }
}
