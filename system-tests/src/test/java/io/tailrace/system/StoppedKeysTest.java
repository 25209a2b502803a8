package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.name.Topics;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Halt;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Selection;
import io.tailrace.operations.Status;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** P3 under {@code halt-key}: nothing of a key runs behind a dead command, or a dead event of a subscription, until an operator has acted. */
@RealParts
class StoppedKeysTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final List<String> KEYS = List.of("replayed", "skipped", "discarded");

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
                settings -> settings.with("executor.on-dead-letter", "halt-key")
                        .with("executor.retry-by-name.note.on-dead-letter", "continue")
                        .route("shop.*")
                        .subscription(BillingHandler.BILLING, "shop.order")
                        .with("subscriptions.billing.retry.max-attempts", "1")
                        .with("subscriptions.billing.on-dead-letter", "halt-key"));
        pipeline.start(Stage.ROUTER, Stage.ENGINE);
        Handlers handlers = Handlers.builder()
                .add(new EffectHandler())
                .add(new BillingHandler())
                .build();
        executor = new CommandExecutor(pipeline.config(), handlers, new SimpleMeterRegistry(), Clock.systemUTC());
        executor.start();
    }

    @AfterAll
    static void stop() {
        executor.close();
        pipeline.close();
    }

    @Test
    void commands() throws SQLException {
        List<UUID> dead = new ArrayList<>();
        for (String key : KEYS) {
            // Nobody has a handler for a note, and its death stops nobody.
            app.transact(connection -> App.command(connection, "note", key, "{\"n\":0}"));
            app.command(key, "{\"n\":1}");
            dead.add(app.command(key, "{\"n\":2,\"rejectUnless\":\"commands\"}"));
        }
        awaitLetters(Topics.COMMANDS, dead);
        List<UUID> followers = new ArrayList<>();
        for (String key : KEYS) {
            followers.add(app.command(key, "{\"n\":3}"));
            followers.add(app.command(key, "{\"n\":4}"));
        }
        awaitHalts(Topics.COMMANDS, dead);
        app.command("another", "{\"n\":1}");
        awaitEffects("another", 1);

        app.switchOn("commands");
        assertThat(pipeline.deadLetters()
                        .replay(Topics.COMMANDS, Selection.ofRows(Set.of(text(dead.get(0)))), order())
                        .count(Outcome.REPLAYED))
                .isEqualTo(1);
        assertThat(pipeline.deadLetters()
                        .skip(Topics.COMMANDS, Set.of(text(dead.get(1))), order())
                        .rows())
                .extracting(Replay.Row::text)
                .containsExactly("skipped: 2 newer rows go on");
        pipeline.deadLetters().discard(Topics.COMMANDS, Set.of(text(dead.get(2))), order());

        awaitEffects("replayed", 1, 2, 3, 4);
        awaitEffects("skipped", 1, 3, 4);
        awaitEffects("discarded", 1, 3, 4);
        assertThat(app.row(dead.get(1), "status")).isEqualTo("DEAD");
        assertThat(app.row(dead.get(2), "status")).isEqualTo("CANCELLED");
        assertThat(letters(Topics.COMMANDS, dead)).containsExactly(text(dead.get(1)));
        assertThat(releases(pipeline.topics().redelivery(Topics.COMMANDS), followers))
                .as("each was released once: nobody has asked in vain")
                .isEqualTo(followers.stream().collect(Collectors.toMap(UUID::toString, id -> 1L)));
        assertThat(pipeline.deadLetters()
                        .skip(Topics.COMMANDS, Set.of(text(dead.get(1))), order())
                        .count(Outcome.NOT_HALTED))
                .isEqualTo(1);

        pipeline.deadLetters().replay(Topics.COMMANDS, Selection.ofRows(Set.of(text(dead.get(1)))), order());
        awaitEffects("skipped", 1, 3, 4, 2);
    }

    @Test
    void eventsOfASubscription() throws SQLException {
        String billing = BillingHandler.BILLING;
        List<UUID> dead = new ArrayList<>();
        for (String key : KEYS) {
            event(key, "{\"n\":1}");
            dead.add(event(key, "{\"n\":2,\"unless\":\"events\"}"));
        }
        awaitLetters(billing, dead);
        List<UUID> followers = new ArrayList<>();
        for (String key : KEYS) {
            followers.add(event(key, "{\"n\":3}"));
            followers.add(event(key, "{\"n\":4}"));
        }
        awaitHalts(billing, dead);
        assertThat(new Status(pipeline.config(), Clock.systemUTC()).look().haltedKeys())
                .isGreaterThanOrEqualTo(KEYS.size());

        app.switchOn("events");
        assertThat(pipeline.deadLetters()
                        .replay(billing, Selection.ofRows(Set.of(text(dead.get(0)))), order())
                        .count(Outcome.REPLAYED))
                .isEqualTo(1);
        assertThat(pipeline.deadLetters()
                        .skip(billing, Set.of(text(dead.get(1))), order())
                        .rows())
                .extracting(Replay.Row::text)
                .containsExactly("skipped: 2 newer rows go on");
        pipeline.deadLetters().discard(billing, Set.of(text(dead.get(2))), order());

        awaitEffects("events-replayed", 1, 2, 3, 4);
        awaitEffects("events-skipped", 1, 3, 4);
        awaitEffects("events-discarded", 1, 3, 4);
        assertThat(letters(billing, dead)).containsExactly(text(dead.get(1)));
        assertThat(releases(pipeline.topics().redelivery(billing), followers))
                .isEqualTo(followers.stream().collect(Collectors.toMap(UUID::toString, id -> 1L)));

        pipeline.deadLetters().replay(billing, Selection.ofRows(Set.of(text(dead.get(1)))), order());
        awaitEffects("events-skipped", 1, 3, 4, 2);
    }

    private static void awaitLetters(String x, List<UUID> dead) {
        await("dead letters")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> letters(x, dead).size() == dead.size());
    }

    private static List<String> letters(String x, List<UUID> ids) {
        return pipeline
                .deadLetters()
                .list(x, Selection.ofRows(ids.stream().map(UUID::toString).collect(Collectors.toSet())))
                .stream()
                .map(DeadLetter::rowId)
                .toList();
    }

    /** Each key stops at its dead row, and two rows wait behind it. */
    private static void awaitHalts(String x, List<UUID> dead) {
        Map<String, Halt> wanted = dead.stream().collect(Collectors.toMap(UUID::toString, id -> new Halt(2, true)));
        await("keys that stop")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> pipeline.deadLetters()
                                .halts(pipeline.deadLetters().list(x, Selection.ofRows(wanted.keySet())))
                                .byRow(),
                        wanted::equals);
    }

    private static void awaitEffects(String key, Integer... numbers) {
        await("effects of " + key)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> app.effectsOf(key), List.of(numbers)::equals);
    }

    private static Map<String, Long> releases(String topic, List<UUID> ids) {
        Set<String> wanted = ids.stream().map(UUID::toString).collect(Collectors.toSet());
        return stack.reader().read(topic).stream()
                .map(record -> String.valueOf(TopicReader.header(record, "ce_id")))
                .filter(wanted::contains)
                .collect(Collectors.groupingBy(id -> id, Collectors.counting()));
    }

    private static UUID event(String key, String payload) throws SQLException {
        return app.transact(connection -> publish(connection, "events-" + key, payload));
    }

    private static UUID publish(Connection connection, String key, String payload) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES ('shop.order', ?, ?::json) RETURNING id")) {
            insert.setString(1, key);
            insert.setString(2, payload);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }

    private static Replay.Order order() {
        return new Replay.Order(UUID.randomUUID().toString(), "tester", false);
    }

    private static String text(UUID id) {
        return id.toString();
    }
}
