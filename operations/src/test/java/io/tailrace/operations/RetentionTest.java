package io.tailrace.operations;

import static io.tailrace.operations.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.RetentionConfig;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.sweep.CleanUpTurn;
import io.tailrace.operations.sweep.DoneRows;
import io.tailrace.operations.sweep.EngineRead;
import io.tailrace.operations.sweep.EngineRead.Mark;
import io.tailrace.operations.sweep.Waiting;
import io.tailrace.operations.upkeep.Rhythm;
import io.tailrace.operations.upkeep.Upkeep;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes at the end of its time and what stays. */
@RealParts
class RetentionTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Waiting WAITING = Waiting.unless(new CountDownLatch(1));

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Tables tables;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private ParkedRows parked;

    @BeforeEach
    void tables(Stack stack) throws Exception {
        this.stack = stack;
        tables = Tables.on(stack);
        parked = new ParkedRows(tables.config);
    }

    @Test
    void whatIsDoneGoesOnceTheEngineHasReadItUnlessALetterRefersToIt() throws Exception {
        tables.event(1, "8 days");
        tables.event(2, "6 days");
        tables.event(3, "8 days");
        parked.park(Topics.EVENTS, id(3), "k", "omitted", "");
        tables.command(11, "COMPLETED", "8 days", "now() - interval '8 days'");
        tables.command(12, "CANCELLED", "8 days", "'infinity'");
        tables.command(13, "CANCELLED", "8 days", "now() + interval '1 day'");
        tables.command(14, "COMPLETED", "6 days", "now() - interval '8 days'");
        tables.command(15, "PENDING", null, "now() - interval '8 days'");
        tables.delivery(21, "31 days");
        tables.delivery(22, "8 days");
        // More than one statement takes.
        stack.execute("INSERT INTO tailrace.outbox (event_name, occurred_at)"
                + " SELECT 'a.many', now() - interval '8 days' FROM generate_series(1, 2500)");
        long before = tables.rows().size();
        TailraceConfig week = tables.config.with(new RetentionConfig(Duration.ofDays(7), Duration.ofDays(30), NEVER));
        try (Upkeep upkeep = clearing(week)) {
            await().atMost(PATIENCE).until(() -> gauge("on.duty") == 1);
            SimpleMeterRegistry idle = new SimpleMeterRegistry();
            try (Upkeep second = clearing(week, idle)) {
                assertThat((long) tables.rows().size())
                        .as("nobody has read them")
                        .isEqualTo(before);
                try (Tables.Reading engine = tables.reading()) {
                    await().atMost(PATIENCE).until(() -> tables.rows().equals(Set.of(2, 3, 13, 14, 15, 22)));
                }
                assertThat(idle.get("tailrace.upkeep.on.duty").gauge().value()).isZero();
                assertThat(idle.find("tailrace.upkeep.purged.rows").counters()).isEmpty();
            }
            await().atMost(PATIENCE)
                    .until(() -> counter("purged.rows", "table", "outbox") == 2501
                            && counter("purged.rows", "table", "internal_command") == 2
                            && counter("purged.rows", "table", "delivery") == 1);
        }
    }

    /** Whoever inserts meanwhile is not to notice: no statement takes long, and there is room for others after each. */
    @Test
    void aThousandGoAtATimeWithABreathAfterEachAndAStopLeavesTheRest() throws Exception {
        stack.execute("INSERT INTO tailrace.outbox (event_name, occurred_at)"
                + " SELECT 'a.many', now() - interval '8 days' FROM generate_series(1, 2500)");
        DoneRows events = DoneRows.ofEvents(TableNames.DEFAULT);
        Duration week = Duration.ofDays(7);
        List<Integer> left = new ArrayList<>();
        Waiting twice = time -> {
            assertThat(time).isEqualTo(Duration.ofMillis(10));
            left.add(rowsNow());
            return left.size() < 2;
        };
        try (Connection upkeep = stack.connect()) {
            Mark read = read(new EngineRead(tables.config.slot()), upkeep);
            assertThat(events.delete(upkeep, week, read, Set.of(), twice)).isEqualTo(2_000);
            assertThat(left).as("each is committed").isEqualTo(List.of(1_500, 500));
            assertThat(events.delete(upkeep, week, read, Set.of(), WAITING)).isEqualTo(500);
        }
        assertThat(rowsNow()).isZero();
    }

    private int rowsNow() {
        try {
            return Integer.parseInt(tables.text("SELECT count(*) FROM tailrace.outbox"));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theUpkeepAndAPurgeDeleteOneAfterTheOther() throws Exception {
        tables.command(11, "COMPLETED", "8 days", "now() - interval '8 days'");
        CommandPurge purge = new CommandPurge(tables.config);
        Duration week = Duration.ofDays(7);
        CleanUpTurn turn = new CleanUpTurn(TableNames.DEFAULT);
        TailraceConfig retention = tables.config.with(new RetentionConfig(week, Duration.ZERO, NEVER));
        try (Tables.Reading engine = tables.reading();
                Connection other = stack.connect();
                Connection free = stack.connect()) {
            turn.in(other, PATIENCE, WAITING, () -> {
                assertThatThrownBy(() -> purge.purge(Optional.empty(), week, false, Duration.ZERO))
                        .isInstanceOf(OperationFailed.class)
                        .hasMessageContaining("try again later");
                assertThat(purge.purge(Optional.empty(), week, true, Duration.ZERO))
                        .contains(1L);
                try (Upkeep upkeep = clearing(retention)) {
                    // It asks for its turn again and again.
                    Set<String> asked = new HashSet<>();
                    await().atMost(PATIENCE).until(() -> {
                        asked.add(tables.text("SELECT max(query_start) FROM pg_stat_activity"
                                + " WHERE application_name = 'tailrace upkeep' AND datname = current_database()"
                                + " AND query LIKE '%pg_try_advisory_lock%'"));
                        return asked.size() > 4;
                    });
                    assertThat(tables.rows()).isEqualTo(Set.of(11));
                }
                return true;
            });
            assertThat(turn.in(free, Duration.ZERO, WAITING, () -> true))
                    .as("given back")
                    .isPresent();
            assertThat(purge.purge(Optional.empty(), week, false)).contains(1L);
        }
    }

    /** A row may say that it is old and commit late: what the engine has not read stays, however old it is. */
    @Test
    void whatCommitsBehindTheEngineStays() throws Exception {
        DoneRows events = DoneRows.ofEvents(TableNames.DEFAULT);
        EngineRead engine = new EngineRead(tables.config.slot());
        Duration week = Duration.ofDays(7);
        try (Connection upkeep = stack.connect();
                Connection late = stack.connect()) {
            late.setAutoCommit(false);
            late.createStatement()
                    .execute("INSERT INTO tailrace.outbox (id, event_name, occurred_at) VALUES ('" + id(1)
                            + "', 'a.late', now() - interval '9 days')");
            tables.event(2, "9 days");
            assertThat(engine.all(upkeep, Duration.ofMillis(1), WAITING))
                    .as("it has read nothing")
                    .isEmpty();
            Mark whileItWasOpen = read(engine, upkeep);
            late.commit();
            tables.event(3, "9 days");

            events.delete(upkeep, week, whileItWasOpen, Set.of(), WAITING);

            assertThat(tables.rows()).contains(1, 3);
            assertThat(events.count(upkeep, week, read(engine, upkeep), WAITING))
                    .isEqualTo(tables.rows().size());
            events.delete(upkeep, week, read(engine, upkeep), Set.of(), WAITING);
            assertThat(tables.rows()).isEmpty();
        }
    }

    private Mark read(EngineRead engine, Connection connection) throws Exception {
        try (Tables.Reading reading = tables.reading()) {
            return engine.all(connection, PATIENCE, WAITING).orElseThrow();
        }
    }

    @Test
    void whatIsDeadIsGivenUpInItsRowItsLetterGoesAndItsSecretsAreToldOf() throws Exception {
        for (int n : List.of(11, 12, 13)) {
            tables.command(n, "DEAD", null, "now() - interval '40 days'");
            tables.set(n, "announced_at = now(), failed_at = now() - interval '31 days'");
        }
        tables.set(12, "failed_at = now() - interval '29 days'");
        tables.command(14, "PENDING", null, "now() + interval '1 day'");
        Duration old = Duration.ofDays(31);
        parked.parkLongAgo(Topics.COMMANDS, id(11), "k", old);
        parked.parkLongAgo(Topics.COMMANDS, id(12), "k", Duration.ofDays(29));
        // 13 has lost its letter; 14 was requeued and the router has not heard of it.
        parked.parkLongAgo(Topics.COMMANDS, id(14), "k", old);
        parked.parkLongAgo(Topics.EVENTS, id(1), null, old);
        parked.parkLongAgo(Topics.EVENTS, id(2), null, Duration.ofDays(29));
        TailraceConfig month = tables.config
                .with(new RedactConfig(
                        Map.of("sales.*", List.of("card")),
                        Map.of("sales.*", List.of("card")),
                        RedactConfig.Scrub.ON_DONE))
                .with(new RetentionConfig(Duration.ZERO, Duration.ofDays(30), NEVER));
        try (Upkeep upkeep = clearing(month)) {
            await().atMost(PATIENCE).until(() -> tables.column(13, "status").equals("CANCELLED"));
        }
        assertThat(tables.column(11, "status")).isEqualTo("CANCELLED");
        assertThat(tables.column(11, "completed_at > now() - interval '1 minute'"))
                .isEqualTo("t");
        assertThat(tables.column(12, "status")).isEqualTo("DEAD");
        assertThat(tables.column(14, "status")).isEqualTo("PENDING");
        assertThat(letters(Topics.COMMANDS)).isEqualTo(Set.of(id(12), id(14)));
        assertThat(letters(Topics.EVENTS)).isEqualTo(Set.of(id(2)));
        assertThat(doneNotes(Topics.COMMANDS)).containsExactly(id(11));
        assertThat(doneNotes(Topics.EVENTS)).containsExactly(id(1));
        assertThat(counter("expired.letters", "x", Topics.COMMANDS)).isEqualTo(1);
    }

    /** Its letter may be replayed as long as it is there, and then both the event and what was noted of it are needed. */
    @Test
    void whatASubscriptionHasOfAnEventStaysWithItsLetterAndGoesAfterIt() throws Exception {
        TailraceConfig billing =
                tables.config.subscribing(List.of(new SubscriptionConfig("billing", List.of("a.thing"))));
        parked = new ParkedRows(billing);
        for (int n : List.of(1, 2)) {
            tables.event(n, "40 days");
            tables.deadDelivery("billing", n, "40 days");
        }
        parked.parkLongAgo("billing", id(1), "k", Duration.ofDays(31));
        parked.parkLongAgo("billing", id(2), "k", Duration.ofDays(29));
        // The letter of the one was lost, the other one has one elsewhere.
        tables.deadDelivery("billing", 3, "31 days");
        tables.deadDelivery("billing", 4, "29 days");
        try (Tables.Reading engine = tables.reading();
                Upkeep upkeep =
                        clearing(billing.with(new RetentionConfig(Duration.ofDays(7), Duration.ofDays(30), NEVER)))) {
            await().atMost(PATIENCE).until(() -> counter("purged.rows", "table", "delivery") > 0);
        }
        assertThat(letters("billing")).isEqualTo(Set.of(id(2)));
        assertThat(counter("expired.letters", "x", "billing")).isEqualTo(1);
        // The event of 1 is gone, its delivery is cancelled and stays for its time.
        assertThat(tables.rows()).isEqualTo(Set.of(1, 2, 4));
        assertThat(tables.text("SELECT count(*) FROM tailrace.outbox")).isEqualTo("1");
        assertThat(tables.ofDelivery(1, "status")).isEqualTo("CANCELLED");
        assertThat(tables.ofDelivery(2, "status")).isEqualTo("DEAD");
        assertThat(doneNotes(Topics.EVENTS)).as("of no secret").isEmpty();

        assertThat(new DeadLetters(billing)
                        .discard("billing", Set.of(id(2)), new Replay.Order("r", "somebody", false))
                        .count(Replay.Outcome.CLEARED))
                .isEqualTo(1);
        assertThat(tables.ofDelivery(2, "concat(status, turn)")).isEqualTo("CANCELLED3");
    }

    private List<String> doneNotes(String x) {
        return stack.reader().read(tables.config.topicNames().retry(x)).stream()
                .filter(note -> "done".equals(TopicReader.header(note, "tailrace-kind")))
                .map(note -> String.valueOf(TopicReader.header(note, "ce_id")))
                .toList();
    }

    private Set<String> letters(String x) {
        return new DeadLetters(tables.config)
                .list(x, Selection.ALL).stream().map(DeadLetter::rowId).collect(Collectors.toSet());
    }

    private Upkeep clearing(TailraceConfig config) {
        return clearing(config, registry);
    }

    private static Upkeep clearing(TailraceConfig config, SimpleMeterRegistry registry) {
        Upkeep upkeep =
                new Upkeep(config, new Rhythm(NEVER, NEVER, NEVER, Duration.ZERO, NEVER), registry, Clock.systemUTC());
        upkeep.start();
        return upkeep;
    }

    private double gauge(String name) {
        return registry.get("tailrace.upkeep." + name).gauge().value();
    }

    private double counter(String name, String tag, String value) {
        var counter = registry.find("tailrace.upkeep." + name).tag(tag, value).counter();
        return counter == null ? 0 : counter.count();
    }
}
