package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P7: nothing is parked without a reason, a trail and a way back; a replay can be tried dry, goes on after a kill, delivers once. */
@RealParts
class EveryFailureExplainedTest {

    private static final int MANY = 2_500;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private Stack stack;
    private App app;
    private Pipeline pipeline;

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(stack, settings -> settings.route("shop.*")
                .with("topics.max-message-bytes", "64KiB")
                .with("router.retry.base", "50ms")
                .with("router.retry.cap", "50ms")
                .with("router.retry.max-attempts", "2")
                .with("executor.retry.base", "50ms")
                .with("executor.retry.cap", "50ms")
                .with("executor.retry.max-attempts", "2"));
    }

    @AfterEach
    void stop() {
        pipeline.close();
    }

    @Test
    void eachHasAReasonAndATrail() throws SQLException {
        Map<UUID, String> expected = new HashMap<>();
        expected.put(app.event("void.thing", "a", 1), "no-route");
        expected.put(app.event("not a name", "b", 2), "name-invalid");
        expected.put(app.transact(c -> insertEvent(c, "shop.placed.v2", 3, "{}", "{}")), "version-mismatch");
        expected.put(app.transact(c -> insertEvent(c, "shop.placed", null, "{}", "[1]")), "malformed");
        expected.put(
                app.transact(c -> insertEvent(c, "shop.placed", null, "\"" + "x".repeat(200_000) + "\"", "{}")),
                "too-large");
        Map<UUID, String> commands = new HashMap<>();
        commands.put(app.command("c", "{\"n\":1,\"unless\":\"never\"}"), "retries-exhausted");
        commands.put(app.command("d", "{\"n\":1,\"rejectUnless\":\"never\"}"), "rejected");
        commands.put(app.command("e", "\"no job\""), "payload-unreadable");
        commands.put(app.transact(c -> App.command(c, "shop.nobody-does-this", "f", "{}")), "handler-missing");
        commands.put(app.transact(c -> App.command(c, "not a name", "g", "{}")), "name-invalid");

        Map<String, DeadLetter> letters = new HashMap<>(awaitDeadLetters("events", expected.size()));
        letters.putAll(awaitDeadLetters("commands", commands.size()));
        expected.putAll(commands);

        assertThat(letters.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        expected.keySet().stream().map(UUID::toString).toList());
        expected.forEach((id, reason) -> assertExplained(letters.get(id.toString()), reason));
        for (UUID id : commands.keySet()) {
            assertThat(app.command(id, "status")).as("the row knows it too").isEqualTo("DEAD");
            assertThat(app.command(id, "reason")).isEqualTo(commands.get(id));
        }
    }

    private static void assertExplained(DeadLetter letter, String reason) {
        assertThat(letter.reason()).as("%s", letter).isEqualTo(reason);
        assertThat(letter.errorMessage()).as("%s: says what is wrong", letter).isNotBlank();
        assertThat(letter.failedAt()).as("%s: when", letter).isPresent();
        assertThat(letter.firstFailedAt()).as("%s: since when", letter).isPresent();
        assertThat(letter.source()).as("%s: whose", letter).isNotBlank();
        assertThat(letter.headers().text("tailrace-seq")).as("%s: its place", letter).isPresent();
        for (String trail : List.of("stage", "origin-topic", "origin-partition", "origin-offset", "payload")) {
            assertThat(letter.headers().text("tailrace-" + trail))
                    .as("%s: %s", letter, trail)
                    .isPresent();
        }
    }

    @Test
    void aDryRunWritesNothing() throws SQLException, ExecutionException, InterruptedException {
        app.events("void.thing", "a", 0, 5);
        UUID command = app.command("b", "{\"n\":1,\"rejectUnless\":\"mended\"}");
        awaitDeadLetters("events", 5);
        awaitDeadLetters("commands", 1);
        await("announced").atMost(PATIENCE).until(() -> !app.command(command, "announced_at").equals("null"));
        Map<TopicPartition, Long> ends = ends();
        String row = app.command(command, "to_json(internal_command)::text");

        try (ChildJvm dry = pipeline.cli("dlq", "replay", "--dry-run", "-o", "json")) {
            assertThat(dry.awaitExit(PATIENCE)).isZero();
            assertThat(dry.output()).as("names each row").anyMatch(line -> line.contains(command.toString()));
        }

        assertThat(ends()).isEqualTo(ends);
        assertThat(app.command(command, "to_json(internal_command)::text")).isEqualTo(row);
    }

    @Test
    void aReplayThatWasKilledGoesOnAndDeliversEachOnce() throws SQLException {
        Set<UUID> dead = manyDead();
        try (ChildJvm first = pipeline.cli("dlq", "replay", "--all", "--of", "events")) {
            TopicReader all = stack.reader().uncommitted();
            all.await(
                    "the first replays, committed or not",
                    read -> read.stream().anyMatch(each -> "replay".equals(TopicReader.header(each, "tailrace-kind"))),
                    PATIENCE,
                    pipeline.topics().retry("events"));
            first.kill();
        }
        try (ChildJvm again = pipeline.cli("dlq", "replay", "--all", "--of", "events")) {
            assertThat(again.awaitExit(PATIENCE)).as("%s", again.output()).isZero();
        }
        assertEachDeliveredOnceInOrder(dead);
    }

    @Test
    void twoOperatorsAtOnceDeliverEachOnce() throws Exception {
        Set<UUID> dead = manyDead();
        UUID command = app.command("key", "{\"n\":1,\"rejectUnless\":\"mended\"}");
        awaitDeadLetters("commands", 1);
        app.switchOn("mended");

        List<CompletableFuture<long[]>> operators = Stream.of("one", "other")
                .map(name -> CompletableFuture.supplyAsync(
                        () -> new long[] {replay("events", name), replay("commands", name)}))
                .toList();
        long[] one = operators.get(0).get();
        long[] other = operators.get(1).get();

        // One may have been fenced by the other in the middle, and then the other did the rest.
        assertThat(one[0] + other[0]).isEqualTo(dead.size());
        assertThat(one[1] + other[1]).isEqualTo(1);
        assertEachDeliveredOnceInOrder(dead);
        await().atMost(PATIENCE).until(() -> app.command(command, "status").equals("COMPLETED"));
        assertThat(app.effectsOf("key")).containsExactly(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "b"})
    void aCommandComesBackByTheSameVerb(String keyOrNone) throws SQLException {
        UUID command = app.command(keyOrNone.isEmpty() ? null : keyOrNone, "{\"n\":1,\"unless\":\"mended\"}");
        awaitDeadLetters("commands", 1);
        assertThat(app.command(command, "attempts")).isEqualTo("2");
        app.switchOn("mended");

        try (ChildJvm replay = pipeline.cli("dlq", "replay", "--of", "commands", "--id", command.toString())) {
            assertThat(replay.awaitExit(PATIENCE)).as("%s", replay.output()).isZero();
        }

        await().atMost(PATIENCE).until(() -> app.command(command, "status").equals("COMPLETED"));
        assertThat(app.effects()).hasSize(1);
        awaitDeadLetters("commands", 0);
    }

    @Test
    void whatFailsAnewIsParkedAnewWithItsWholeTrail() throws SQLException {
        UUID event = app.event("void.thing", "a", 1);
        DeadLetter first = awaitDeadLetters("events", 1).get(event.toString());

        assertThat(replay("events", "the test")).isEqualTo(1);
        await("parked anew").atMost(PATIENCE).until(() -> pipeline.deadLetters()
                .find("events", event.toString())
                .filter(letter -> letter.replayCount() == 1)
                .isPresent());
        DeadLetter anew = awaitDeadLetters("events", 1).get(event.toString());

        assertThat(anew.firstFailedAt()).isEqualTo(first.firstFailedAt());
        assertThat(anew.place()).isEqualTo(first.place());
        assertThat(anew.attempts()).as("a new budget, used up").isEqualTo(first.attempts());
        assertThat(anew.headers().text("tailrace-replay-by")).contains("the test");
    }

    /** Events of which nobody knew the way, parked; from now on the router knows it. */
    private Set<UUID> manyDead() throws SQLException {
        Set<UUID> dead = app.transact(connection -> {
            Set<UUID> ids = new java.util.HashSet<>();
            for (int n = 0; n < MANY; n++) {
                ids.add(App.event(connection, "lost.thing", "key-" + n % 25, n));
            }
            return ids;
        });
        awaitDeadLetters("events", MANY);
        pipeline.stop(Stage.ROUTER).change(settings -> settings.route("lost.*")).start(Stage.ROUTER);
        return dead;
    }

    private void assertEachDeliveredOnceInOrder(Set<UUID> rows) throws SQLException {
        try (Witness routed = Witness.of(stack, pipeline.destination("lost"))) {
            routed.awaitRows(rows);
            // Whatever would be delivered again comes before these.
            List<UUID> last = new ArrayList<>();
            for (int key = 0; key < 25; key++) {
                last.add(app.event("lost.last", "key-" + key, MANY + key));
            }
            routed.awaitRows(last);
            try (Connection connection = stack.connect()) {
                io.tailrace.testkit.guarantees.History.of(
                                connection,
                                "SELECT id, ordering_key FROM " + App.EVENTS + " ORDER BY (payload->>'n')::int")
                        .compare(routed.seen(), Witness.Sighting::id)
                        .assertClean();
            }
        }
        assertThat(pipeline.deadLetters().list("events", Selection.ALL)).isEmpty();
    }

    private long replay(String x, String by) {
        return pipeline.deadLetters()
                .replay(x, Selection.ALL, new Replay.Order(UUID.randomUUID().toString(), by, false))
                .count(Replay.Outcome.REPLAYED);
    }

    /** Waits until exactly so many rows are parked; by row id. */
    private Map<String, DeadLetter> awaitDeadLetters(String x, int count) {
        return await(count + " dead letters of " + x)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().list(x, Selection.ALL), letters -> letters.size() == count)
                .stream()
                .collect(Collectors.toMap(DeadLetter::rowId, letter -> letter));
    }

    /** Ends of all topics but that of the positions, in which the engine's heart beats. */
    private Map<TopicPartition, Long> ends() throws ExecutionException, InterruptedException {
        try (Admin admin = stack.admin()) {
            Map<TopicPartition, OffsetSpec> all = new HashMap<>();
            Set<String> topics = stack.topics();
            topics.remove(pipeline.topics().positions());
            admin.describeTopics(topics).allTopicNames().get().values().forEach(topic -> topic.partitions()
                    .forEach(p -> all.put(new TopicPartition(topic.name(), p.partition()), OffsetSpec.latest())));
            Map<TopicPartition, Long> ends = new HashMap<>();
            admin.listOffsets(all).all().get().forEach((partition, info) -> ends.put(partition, info.offset()));
            return ends;
        }
    }

    private static UUID insertEvent(
            Connection connection, String name, @org.jspecify.annotations.Nullable Integer version, String payload, String headers)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + App.EVENTS
                + " (event_name, event_version, payload, headers) VALUES (?, ?, ?::json, ?::json) RETURNING id")) {
            statement.setString(1, name);
            statement.setObject(2, version, java.sql.Types.INTEGER);
            statement.setString(3, payload);
            statement.setString(4, headers);
            try (var rows = statement.executeQuery()) {
                rows.next();
                return Optional.ofNullable(rows.getObject(1, UUID.class)).orElseThrow();
            }
        }
    }
}
