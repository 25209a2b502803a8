package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.HoldKind;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Pauses;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P3, P6 and P7 for subscriptions: an event's effects happen once and in order, through failure, dead letter and replay. */
@RealParts
class SubscriptionsTest {

    private static final String BILLING = BillingHandler.BILLING;
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    private static final SimpleMeterRegistry METERS = new SimpleMeterRegistry();

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;
    private static CommandExecutor executor;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.on(
                stack,
                settings -> settings.route("shop.*")
                        .route(
                                "shop.moved",
                                Map.of("topic", stack.namespace() + ".new", "legacy-topic", stack.namespace() + ".old"))
                        .subscription(BILLING, "shop.order", "shop.moved", "shop.paid", "shop.charged"));
        pipeline.start(Stage.ROUTER, Stage.ENGINE);
        executor = member(METERS);
    }

    @AfterAll
    static void stop() {
        executor.close();
        pipeline.close();
    }

    @Test
    void aFailureIsTriedAgainAndThoseBehindItWait() throws SQLException {
        List<UUID> ids = app.transact(connection -> List.of(
                publish(connection, "shop.order", "k", "{\"n\":1,\"fail\":2}"),
                publish(connection, "shop.order", "k", "{\"n\":2}"),
                publish(connection, "shop.order", "k", "{\"n\":3}"),
                publish(connection, "shop.order", "another", "{\"n\":1}")));

        awaitUntil("all are handled", () -> completed(ids) == ids.size());

        assertThat(app.effectsOf("k")).containsExactly(1, 2, 3);
        assertThat(column(ids.get(0), "attempts")).isEqualTo("2");
        assertThat(column(ids.get(1), "attempts")).as("waiting uses none").isEqualTo("0");
        assertThat(column(ids.get(3), "turn")).as("never stamped").isEqualTo("0");
        assertThat(column(ids.get(0), "raw_offset")).isNotEqualTo("null");
    }

    @Test
    void aDeadLetterIsReplayedOnceAndItsKeyGoesOnMeanwhile() throws SQLException {
        UUID dead =
                app.transact(connection -> publish(connection, "shop.order", "d", "{\"n\":1,\"unless\":\"mended\"}"));
        UUID next = app.transact(connection -> publish(connection, "shop.order", "d", "{\"n\":2}"));

        DeadLetter letter = awaitLetter(dead);
        assertThat(letter.reason()).isEqualTo("retries-exhausted");
        assertThat(letter.attempts()).isEqualTo(3);
        assertThat(letter.errorMessage()).contains("mended");
        assertThat(letter.headers().text("tailrace-origin-topic"))
                .contains(pipeline.topics().rawEvents());
        assertThat(column(dead, "status")).isEqualTo("DEAD");
        awaitUntil("the key goes on", () -> completed(List.of(next)) == 1);

        // A replay that comes too soon has a budget of its own, dies in its old place, and leaves the letter that can
        // be replayed again.
        String place = column(dead, "place");
        String turn = column(dead, "turn");
        Selection selected = Selection.ofRows(Set.of(dead.toString()));
        Replay.Order tooSoon = new Replay.Order("r-0", "tester", false);
        assertThat(pipeline.deadLetters().replay(BILLING, selected, tooSoon).count(Replay.Outcome.REPLAYED))
                .isEqualTo(1);
        awaitUntil(
                "it dies again",
                () -> app.number("SELECT count(*) FROM tailrace.delivery WHERE event_id = '" + dead
                                + "' AND status = 'DEAD' AND announced_at IS NOT NULL AND turn > " + turn)
                        == 1);
        DeadLetter again = awaitLetter(dead);
        assertThat(again.attempts()).isEqualTo(3);
        assertThat(column(dead, "attempts")).isEqualTo("3");
        assertThat(column(dead, "place")).isEqualTo(place);

        app.switchOn("mended");
        Replay.Order order = new Replay.Order("r-1", "tester", false);
        assertThat(pipeline.deadLetters().replay(BILLING, selected, order).count(Replay.Outcome.REPLAYED))
                .isEqualTo(1);
        assertThat(pipeline.deadLetters().replay(BILLING, selected, order).rows())
                .isEmpty();

        awaitUntil("it is handled", () -> completed(List.of(dead)) == 1);
        assertThat(app.effectsOf("d")).containsExactly(2, 1);
        assertThat(column(dead, "attempts")).as("a new budget").isEqualTo("0");
        assertThat(pipeline.deadLetters().list(BILLING, selected)).isEmpty();
    }

    @Test
    void anEventInTwoTopicsIsHandledOnce() throws SQLException {
        double before = settled();
        UUID moved = app.transact(connection -> publish(connection, "shop.moved", "m", "{\"n\":7}"));

        awaitUntil("it is handled", () -> completed(List.of(moved)) == 1);
        awaitUntil("the other one is passed over", () -> settled() >= before + 1);
        assertThat(app.effectsOf("m")).containsExactly(7);
    }

    /** It keeps its key, with what is behind it, through a restart; woken, all of them run in order, and none has used an attempt. */
    @Test
    void aPausedNameWaitsAndThenItsKeysGoOnInOrder() throws SQLException {
        assertThat(verb("subscriptions", "pause", BILLING, "shop.paid", "--why", "stocktaking"))
                .contains("paused");
        awaitUntil("the pause is heard of", () -> {
            UUID some = app.transact(connection -> publish(connection, "shop.paid", null, "{\"n\":0}"));
            awaitUntil("it is handled or held", () -> completed(List.of(some)) == 1 || held("shop.paid") > 0);
            return held("shop.paid") > 0;
        });
        List<UUID> ids = app.transact(connection -> List.of(
                publish(connection, "shop.paid", "p", "{\"n\":1}"),
                publish(connection, "shop.order", "p", "{\"n\":2}"),
                publish(connection, "shop.paid", "p", "{\"n\":3}"),
                publish(connection, "shop.order", "q", "{\"n\":1}")));
        awaitUntil("another key goes on", () -> completed(List.of(ids.get(3))) == 1);
        awaitUntil("it is held", () -> is(ids.get(0), "hold = 'shop.paid'"));
        awaitUntil("the next one is behind it", () -> is(ids.get(1), "turn = 1 AND hold IS NULL"));
        executor.close();
        executor = member(METERS);
        UUID last = app.transact(connection -> publish(connection, "shop.order", "p", "{\"n\":4}"));
        awaitUntil("it is behind it too", () -> is(last, "turn = 1"));
        assertThat(app.effectsOf("p")).isEmpty();
        assertThat(verb("subscriptions", "held")).contains(BILLING, "shop.paid", "stocktaking");

        assertThat(verb("subscriptions", "resume", BILLING, "shop.paid")).contains("resumed");
        awaitUntil("all are handled", () -> completed(ids) == ids.size() && completed(List.of(last)) == 1);
        assertThat(app.effectsOf("p")).containsExactly(1, 2, 3, 4);
        assertThat(app.number("SELECT sum(attempts) FROM tailrace.delivery WHERE ordering_key = 'p'"))
                .isZero();
        awaitUntil("nothing is held", () -> held("shop.paid") == 0);
    }

    @Test
    void aBrokenNameWaitsUntilItsProbeGoesWell() throws SQLException {
        int keys = 5;
        int each = 4;
        List<UUID> ids = app.transact(connection -> {
            List<UUID> all = new ArrayList<>();
            for (int n = 1; n <= each; n++) {
                for (int key = 0; key < keys; key++) {
                    String payload = "{\"n\":%d,\"needs\":\"bank\"}".formatted(n);
                    all.add(publish(connection, "shop.charged", "broken-" + key, payload));
                }
            }
            return all;
        });
        awaitUntil(
                "it is broken",
                () -> Pauses.ofEvents(pipeline.config().source(), BILLING).list().stream()
                        .anyMatch(pause -> pause.name().equals("shop.charged")
                                && pause.kind() == HoldKind.BROKEN
                                && pause.note().orElse("").equals("bank is unavailable")));
        awaitUntil("every key is held", () -> held("shop.charged") >= keys - 1);
        UUID other = app.transact(connection -> publish(connection, "shop.order", "flows", "{\"n\":1}"));
        awaitUntil("others go on", () -> completed(List.of(other)) == 1);
        assertThat(completed(ids)).isZero();

        app.switchOn("bank");
        awaitUntil("all are handled", () -> completed(ids) == ids.size());
        for (int key = 0; key < keys; key++) {
            assertThat(app.effectsOf("broken-" + key)).as("key %d", key).containsExactly(1, 2, 3, 4);
        }
        assertThat(app.number("SELECT sum(attempts) FROM tailrace.delivery WHERE event_name = 'shop.charged'"))
                .isZero();
        assertThat(Pauses.ofEvents(pipeline.config().source(), BILLING).list()).isEmpty();
    }

    /** What a verb of the command line prints. */
    private static String verb(String... arguments) {
        try (ChildJvm cli = pipeline.cli(arguments)) {
            int exit = cli.awaitExit(PATIENCE);
            String said = String.join("\n", cli.output());
            assertThat(exit).as(said).isZero();
            return said;
        }
    }

    private static boolean is(UUID id, String condition) throws SQLException {
        return app.number("SELECT count(*) FROM tailrace.delivery WHERE event_id = '" + id + "' AND " + condition) == 1;
    }

    private static long held(String name) throws SQLException {
        return app.number("SELECT count(*) FROM tailrace.delivery WHERE hold = '" + name + "'");
    }

    /** Members come and go while events flow and some of them fail: rebalances, answers and claims cross each other. */
    @Test
    void twoMembersThatComeAndGoHandleEachEventOnceAndInOrder() throws SQLException {
        int keys = 10;
        int each = 25;
        List<UUID> ids = new ArrayList<>();
        CommandExecutor second = member();
        for (int n = 1; n <= each; n++) {
            int number = n;
            ids.addAll(app.transact(connection -> {
                List<UUID> some = new ArrayList<>();
                for (int key = 0; key < keys; key++) {
                    int fail = (number + key) % 7 == 0 ? 1 : 0;
                    String payload = "{\"n\":%d,\"fail\":%d}".formatted(number, fail);
                    some.add(publish(connection, "shop.order", "many-" + key, payload));
                }
                return some;
            }));
            if (n == each / 3) {
                second.close();
            } else if (n == 2 * each / 3) {
                second = member();
            }
        }
        try (CommandExecutor last = second) {
            awaitUntil("all are handled", () -> completed(ids) == ids.size());
            awaitUntil("the last member is ready", () -> last.health().isReady());
        }
        List<Integer> inOrder = IntStream.rangeClosed(1, each).boxed().toList();
        for (int key = 0; key < keys; key++) {
            assertThat(app.effectsOf("many-" + key)).as("key %d", key).isEqualTo(inOrder);
        }
        assertThat(app.number("SELECT sum(attempts) FROM tailrace.delivery WHERE ordering_key LIKE 'many-%'"))
                .as("only failures used attempts")
                .isEqualTo(IntStream.rangeClosed(1, each)
                        .flatMap(n -> IntStream.range(0, keys).filter(key -> (n + key) % 7 == 0))
                        .count());
    }

    /** Killed at any point: before the claim, in the handler, between stamp and answer, between answer and offset. */
    @Test
    void throughKillsOfAMember(@TempDir Path directory) throws Exception {
        int keys = 6;
        int each = 20;
        List<UUID> ids = app.transact(connection -> {
            List<UUID> all = new ArrayList<>();
            for (int n = 1; n <= each; n++) {
                for (int key = 0; key < keys; key++) {
                    String payload = "{\"n\":%d,\"fail\":%d,\"sleepMs\":20}".formatted(n, n % 6 == key ? 1 : 0);
                    all.add(publish(connection, "shop.order", "killed-" + key, payload));
                }
            }
            return all;
        });
        Path handlers = BillingHandler.provided(directory);
        executor.close();
        try {
            for (int kill = 1; kill <= 2; kill++) {
                Child child = pipeline.startChild(Stage.EXECUTOR, handlers);
                int some = kill * ids.size() / 4;
                awaitUntil(some + " are handled", () -> completed(ids) >= some);
                child.kill();
            }
        } finally {
            executor = member(METERS);
        }
        awaitUntil("all are handled", () -> completed(ids) == ids.size());

        List<Integer> inOrder = IntStream.rangeClosed(1, each).boxed().toList();
        for (int key = 0; key < keys; key++) {
            assertThat(app.effectsOf("killed-" + key)).as("key %d", key).isEqualTo(inOrder);
        }
        assertThat(app.number("SELECT sum(attempts) FROM tailrace.delivery WHERE ordering_key LIKE 'killed-%'"))
                .as("what was killed has used none, but for a suspect that ran when the second one was killed")
                .isBetween((long) each, each + 1L);
    }

    @Test
    void whatItDoesNotSubscribeToIsNotItsOwn() throws SQLException {
        UUID other = app.transact(connection -> publish(connection, "shop.other", "o", "{\"n\":1}"));
        UUID own = app.transact(connection -> publish(connection, "shop.order", "o", "{\"n\":2}"));

        awaitUntil("the later one is handled", () -> completed(List.of(own)) == 1);
        assertThat(completed(List.of(other))).isZero();
        assertThat(app.effectsOf("o")).containsExactly(2);
    }

    private static CommandExecutor member() {
        return member(new SimpleMeterRegistry());
    }

    private static CommandExecutor member(MeterRegistry meters) {
        Handlers handlers = Handlers.builder().add(new BillingHandler()).build();
        CommandExecutor member = new CommandExecutor(pipeline.config(), handlers, meters, Clock.systemUTC());
        member.start();
        return member;
    }

    /** Of all names. */
    private static double settled() {
        return METERS
                .find("tailrace.executor.processed")
                .tag("subscription", BILLING)
                .tag("outcome", "settled")
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private static DeadLetter awaitLetter(UUID id) {
        Selection selected = Selection.ofRows(Set.of(id.toString()));
        List<DeadLetter> found = new ArrayList<>();
        awaitUntil("it is a dead letter", () -> {
            found.addAll(pipeline.deadLetters().list(BILLING, selected));
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private static void awaitUntil(String what, Callable<Boolean> condition) {
        await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(condition);
    }

    private static long completed(List<UUID> ids) throws SQLException {
        String all = ids.stream().map(id -> "'" + id + "'").collect(Collectors.joining(","));
        return app.number("SELECT count(*) FROM tailrace.delivery WHERE subscription = '" + BILLING
                + "' AND status = 'COMPLETED' AND event_id IN (" + all + ")");
    }

    private static String column(UUID id, String column) throws SQLException {
        return app.text("SELECT " + column + " FROM tailrace.delivery WHERE event_id = '" + id + "'");
    }

    private static UUID publish(Connection connection, String name, @Nullable String key, String payload)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES (?, ?, ?::json) RETURNING id")) {
            insert.setString(1, name);
            insert.setString(2, key);
            insert.setString(3, payload);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }
}
