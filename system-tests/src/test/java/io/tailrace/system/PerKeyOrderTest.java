package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.system.Witness.Sighting;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** P3: rows of one key are delivered in the order of their commits, also through retry, dead letter and replay. */
@RealParts
class PerKeyOrderTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static App app;
    private static Pipeline pipeline;
    private static Witness routed;
    private static Witness deadEvents;

    @BeforeAll
    static void start(Stack stack) throws SQLException {
        app = App.on(stack);
        pipeline = Pipeline.running(stack, settings -> settings.route("sales.*"));
        routed = Witness.of(stack, pipeline.destination("sales"), pipeline.destination("lost"));
        deadEvents = Witness.of(stack, pipeline.topics().deadLetters("events"));
    }

    @AfterAll
    static void stop() {
        routed.close();
        deadEvents.close();
        pipeline.close();
    }

    @Test
    void followersOfAnEventWithoutARouteWaitForItAndKeepTheirOrder() throws SQLException {
        String key = "followers";
        // In one transaction, so that the router meets the neighbour after the followers and long before the wait of
        // the head is over.
        String neighbour = Keys.inPartitionOf(key, 3);
        List<UUID> rows = new ArrayList<>();
        UUID head = app.transact(connection -> {
            UUID lost = App.event(connection, "void.thing", key, 0);
            for (int n = 1; n <= 6; n++) {
                rows.add(App.event(connection, "sales.placed", key, n));
            }
            rows.add(App.event(connection, "sales.placed", neighbour, 0));
            return lost;
        });

        routed.awaitRows(rows);
        deadEvents.await1("the head's dead letter", letter -> letter.id().equals(head.toString()));

        assertThat(routed.of(key)).extracting(PerKeyOrderTest::n).containsExactly(1, 2, 3, 4, 5, 6);
        long neighbourAt = routed.of(neighbour).get(0).offset();
        assertThat(routed.of(key))
                .as("followers wait while the head does: what came after them passes them")
                .allMatch(follower -> follower.offset() > neighbourAt);
        assertSeqRises(routed.seen());
    }

    @Test
    void followersOfACommandThatFailsTwiceRunAfterIt() throws SQLException {
        String key = "twice";
        UUID head = app.transact(connection -> {
            UUID first = App.command(connection, EffectHandler.NAME, key, "{\"n\":1,\"fail\":2}");
            for (int n = 2; n <= 8; n++) {
                App.command(connection, EffectHandler.NAME, key, "{\"n\":" + n + "}");
            }
            return first;
        });

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(app.effectsOf(key)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8));

        assertThat(app.row(head, "attempts")).isEqualTo("2");
        assertThat(app.number("SELECT max(attempts) FROM " + App.COMMANDS + " WHERE ordering_key = '" + key
                        + "' AND id <> '" + head + "'"))
                .as("who waits behind another uses no attempt")
                .isZero();
    }

    @Test
    void aFollowerThatFailsHoldsUpThoseBehindItOnly() throws SQLException {
        String key = "second-head";
        app.transact(connection -> {
            App.command(connection, EffectHandler.NAME, key, "{\"n\":1,\"fail\":1}");
            App.command(connection, EffectHandler.NAME, key, "{\"n\":2}");
            App.command(connection, EffectHandler.NAME, key, "{\"n\":3,\"fail\":2}");
            App.command(connection, EffectHandler.NAME, key, "{\"n\":4}");
            App.command(connection, EffectHandler.NAME, key, "{\"n\":5,\"fail\":1}");
            return App.command(connection, EffectHandler.NAME, key, "{\"n\":6}");
        });

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(app.effectsOf(key)).containsExactly(1, 2, 3, 4, 5, 6));
    }

    @Test
    void aReplayedCommandGoesBackToItsPlaceInABlockedKey() throws SQLException {
        String key = "replayed";
        // Fails twice more after its replay: it stays ahead of the others although it waits itself.
        UUID first = app.command(key, "{\"n\":1,\"rejectUnless\":\"first\",\"fail\":0}");
        UUID second = app.command(key, "{\"n\":2}");
        await().atMost(PATIENCE).until(() -> app.row(second, "status").equals("COMPLETED"));
        assertThat(app.row(first, "status")).isEqualTo("DEAD");
        awaitDeadLetter("commands", first);

        UUID third = app.command(key, "{\"n\":3,\"unless\":\"third\"}");
        app.command(key, "{\"n\":4}");
        UUID fifth = app.command(key, "{\"n\":5}");
        await("the key is blocked")
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT attempts FROM " + App.COMMANDS + " WHERE id = '" + third + "'") > 0);
        String place = app.row(first, "place");

        app.switchOn("first");
        assertThat(replay("commands", first)).isEqualTo(1);
        // Only now: before, the third could have succeeded ahead of the replay, rightly.
        app.switchOn("third");

        await().atMost(PATIENCE).until(() -> app.row(fifth, "status").equals("COMPLETED"));
        assertThat(app.effectsOf(key)).containsExactly(2, 1, 3, 4, 5);
        assertThat(app.row(first, "place")).isEqualTo(place);
    }

    @Test
    void aReplayedEventGoesBackToItsPlaceInABlockedKey() throws SQLException {
        String key = "replayed-event";
        UUID lost = app.event("lost.thing", key, 1);
        UUID second = app.event("sales.placed", key, 2);
        awaitDeadLetter("events", lost);
        routed.awaitRows(List.of(second));

        // A router that knows the way of the lost one, and waits long for another: the key stays blocked.
        restartRouter("60s", "lost.*");
        List<UUID> rows = app.transact(connection ->
                List.of(App.event(connection, "void.thing", key, 3), App.event(connection, "sales.placed", key, 4)));
        try (Witness waiting = Witness.of(pipeline.stack(), pipeline.topics().retry("events"))) {
            waiting.await1(
                    "the key is blocked",
                    record -> record.id().equals(rows.get(0).toString()));
        }

        assertThat(replay("events", lost)).isEqualTo(1);
        Sighting late = routed.await1("the replayed", each -> each.id().equals(lost.toString()));
        UUID neighbour = app.event("sales.placed", Keys.inPartitionOf(key, 3), 1);
        routed.awaitRows(List.of(neighbour));

        assertThat(late.isLate()).isTrue();
        assertThat(late.header("tailrace-replay-id")).isNotEmpty();
        assertThat(late.seq())
                .as("its own place")
                .isLessThan(routed.of(key).get(0).seq());
        assertThat(routed.of(key))
                .as("ahead of the head, which goes on waiting, and its follower with it")
                .extracting(PerKeyOrderTest::n)
                .containsExactlyInAnyOrder(2, 1);
        assertSeqRises(routed.seen());
        restartRouter("300ms", "sales.*");
    }

    private static void restartRouter(String wait, String route) {
        pipeline.stop(Stage.ROUTER)
                .change(settings ->
                        settings.route(route).with("router.retry.base", wait).with("router.retry.cap", wait))
                .start(Stage.ROUTER);
    }

    private static void awaitDeadLetter(String x, UUID row) {
        await("dead letter of " + row)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().find(x, row.toString()).isPresent());
    }

    private static long replay(String x, UUID row) {
        return pipeline.deadLetters()
                .replay(
                        x,
                        Selection.ofRows(Set.of(row.toString())),
                        new Replay.Order(UUID.randomUUID().toString(), "the test", false))
                .count(Replay.Outcome.REPLAYED);
    }

    /** Per topic and key; what was replayed says of itself that it is late. */
    static void assertSeqRises(List<Sighting> delivered) {
        Map<String, Sighting> last = new HashMap<>();
        for (Sighting each : delivered) {
            if (each.isLate()) {
                continue;
            }
            Sighting before = last.put(each.topic() + " " + each.key(), each);
            if (before != null) {
                assertThat(each.seq()).as("%s after %s", each, before).isGreaterThan(before.seq());
            }
        }
    }

    private static int n(Sighting sighting) {
        return Integer.parseInt(String.valueOf(sighting.value()).replaceAll("\\D", ""));
    }
}
