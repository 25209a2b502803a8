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
import io.tailrace.testkit.guarantees.History;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** P7: nothing is parked without a reason, a trail and a way back; a replay can be tried dry, goes on after a kill, delivers once. */
@RealParts
class EveryFailureExplainedTest {

    private static final int MANY = 2_500;
    private static final int KEYS = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(
                stack,
                settings -> settings.route("shop.*")
                        .with("topics.max-message-bytes", "64KiB")
                        .with("router.retry.base", "50ms")
                        .with("router.retry.cap", "50ms")
                        .with("router.retry.max-attempts", "2")
                        .with("executor.retry.base", "50ms")
                        .with("executor.retry.cap", "50ms")
                        .with("executor.retry.max-attempts", "2"));
    }

    @AfterAll
    static void stop() {
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

        Map<UUID, DeadLetter> letters = new HashMap<>(awaitDead("events", expected.keySet()));
        letters.putAll(awaitDead("commands", commands.keySet()));
        expected.putAll(commands);

        letters.forEach((id, letter) -> assertExplained(letter, String.valueOf(expected.get(id))));
        for (UUID id : commands.keySet()) {
            assertThat(app.row(id, "status")).as("the row knows it too").isEqualTo("DEAD");
            assertThat(app.row(id, "reason")).isEqualTo(commands.get(id));
        }
    }

    private static void assertExplained(DeadLetter letter, String reason) {
        assertThat(letter.reason()).as("%s", letter).isEqualTo(reason);
        assertThat(letter.errorMessage()).as("%s: says what is wrong", letter).isNotBlank();
        assertThat(letter.failedAt()).as("%s: when", letter).isPresent();
        assertThat(letter.firstFailedAt()).as("%s: since when", letter).isPresent();
        assertThat(letter.source()).as("%s: whose", letter).isNotBlank();
        assertThat(letter.headers().text("tailrace-seq"))
                .as("%s: its place", letter)
                .isPresent();
        // Of the events two can be read so far that their route is known.
        boolean hasDestination = letter.x().equals("commands")
                || Set.of("too-large", "malformed").contains(reason);
        assertThat(letter.headers().text("tailrace-destination").isPresent())
                .as("%s: where to", letter)
                .isEqualTo(hasDestination);
        for (String trail : List.of("stage", "origin-topic", "origin-partition", "origin-offset", "payload")) {
            assertThat(letter.headers().text("tailrace-" + trail))
                    .as("%s: %s", letter, trail)
                    .isPresent();
        }
    }

    @Test
    void aDryRunWritesNothing() throws SQLException, ExecutionException, InterruptedException {
        awaitDead("events", app.events("void.thing", "dry", 0, 5));
        UUID command = app.command("dry", "{\"n\":1,\"rejectUnless\":\"never\"}");
        awaitDead("commands", List.of(command));
        await("announced")
                .atMost(PATIENCE)
                .until(() -> !app.row(command, "announced_at").equals("null"));
        Map<TopicPartition, Long> ends = ends();
        String row = app.row(command, "to_json(internal_command)::text");

        try (ChildJvm dry = pipeline.cli("dlq", "replay", "--key", "dry", "--dry-run", "-o", "json")) {
            assertThat(dry.awaitExit(PATIENCE)).isZero();
            assertThat(dry.output()).as("names each row").anyMatch(line -> line.contains(command.toString()));
        }

        assertThat(ends()).isEqualTo(ends);
        assertThat(app.row(command, "to_json(internal_command)::text")).isEqualTo(row);
    }

    @Test
    void aReplayThatWasKilledGoesOnAndDeliversEachOnce() throws SQLException {
        manyDead("killed");
        try (ChildJvm first = pipeline.cli("dlq", "replay", "--of", "events", "--name", "killed.*")) {
            stack.reader()
                    .uncommitted()
                    .await(
                            "the first replays, committed or not",
                            read -> read.stream()
                                    .anyMatch(each -> "replay".equals(TopicReader.header(each, "tailrace-kind"))
                                            && "killed.thing".equals(TopicReader.header(each, "ce_type"))),
                            PATIENCE,
                            pipeline.topics().retry("events"));
            first.kill();
        }
        try (ChildJvm again = pipeline.cli("dlq", "replay", "--of", "events", "--name", "killed.*")) {
            assertThat(again.awaitExit(PATIENCE)).as("%s", again.output()).isZero();
        }
        assertEachDeliveredOnceInOrder("killed");
    }

    @Test
    void twoOperatorsAtOnceDeliverEachOnce() throws Exception {
        manyDead("twice");
        UUID command = app.command("twice", "{\"n\":1,\"rejectUnless\":\"twice\"}");
        awaitDead("commands", List.of(command));
        app.switchOn("twice");

        List<CompletableFuture<long[]>> operators = Stream.of("one", "other")
                .map(name -> CompletableFuture.supplyAsync(() -> new long[] {
                    replay("events", named("twice"), name),
                    replay("commands", Selection.ofRows(Set.of(command.toString())), name)
                }))
                .toList();
        long[] one = operators.get(0).get();
        long[] other = operators.get(1).get();

        // One may have been fenced by the other in the middle, and then the other did the rest.
        assertThat(one[0] + other[0]).isEqualTo(MANY);
        assertThat(one[1] + other[1]).isEqualTo(1);
        assertEachDeliveredOnceInOrder("twice");
        await().atMost(PATIENCE).until(() -> app.row(command, "status").equals("COMPLETED"));
        assertThat(app.effectsOf("twice")).containsExactly(1);
    }

    @Test
    void commandsComeBackByTheSameVerb() throws SQLException {
        String payload = "{\"n\":1,\"unless\":\"mended\"}";
        List<UUID> dead = List.of(app.command("same-verb", payload), app.command(null, payload));
        awaitDead("commands", dead);
        assertThat(app.row(dead.get(0), "attempts")).isEqualTo("2");
        app.switchOn("mended");

        String ids = dead.get(0) + "," + dead.get(1);
        try (ChildJvm replay = pipeline.cli("dlq", "replay", "--of", "commands", "--id", ids)) {
            assertThat(replay.awaitExit(PATIENCE)).as("%s", replay.output()).isZero();
        }

        for (UUID command : dead) {
            await().atMost(PATIENCE).until(() -> app.row(command, "status").equals("COMPLETED"));
            await("its dead letter is gone")
                    .atMost(PATIENCE)
                    .until(() -> pipeline.deadLetters()
                            .find("commands", command.toString())
                            .isEmpty());
        }
        assertThat(app.effects().stream().map(App.Effect::commandId))
                .filteredOn(id -> dead.contains(UUID.fromString(id)))
                .hasSize(2);
    }

    @Test
    void whatFailsAnewIsParkedAnewWithItsWholeTrail() throws SQLException {
        UUID event = app.event("void.thing", "anew", 1);
        DeadLetter first =
                Objects.requireNonNull(awaitDead("events", List.of(event)).get(event));

        assertThat(replay("events", Selection.ofRows(Set.of(event.toString())), "the test"))
                .isEqualTo(1);
        DeadLetter anew = await("parked anew")
                .atMost(PATIENCE)
                .until(
                        () -> pipeline.deadLetters().find("events", event.toString()),
                        letter -> letter.filter(each -> each.replayCount() == 1).isPresent())
                .orElseThrow();

        assertThat(anew.firstFailedAt()).isEqualTo(first.firstFailedAt());
        assertThat(anew.place()).isEqualTo(first.place());
        assertThat(anew.attempts()).as("a new budget, used up").isEqualTo(first.attempts());
        assertThat(anew.headers().text("tailrace-replay-by")).contains("the test");
    }

    /** Events of which nobody knew the way, parked; from now on the router knows it. */
    private static void manyDead(String context) throws SQLException {
        List<UUID> dead = app.transact(connection -> {
            List<UUID> ids = new ArrayList<>();
            for (int n = 0; n < MANY; n++) {
                ids.add(App.event(connection, context + ".thing", context + n % KEYS, n));
            }
            return ids;
        });
        awaitDead("events", dead);
        pipeline.stop(Stage.ROUTER)
                .change(settings -> settings.route(context + ".*"))
                .start(Stage.ROUTER);
    }

    private static void assertEachDeliveredOnceInOrder(String context) throws SQLException {
        try (Witness routed = Witness.of(stack, pipeline.destination(context))) {
            routed.awaitCount(MANY);
            // Whatever would be delivered again comes before these.
            List<UUID> last = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                last.add(app.event(context + ".last", context + key, MANY + key));
            }
            routed.awaitRows(last);
            try (Connection connection = stack.connect()) {
                History.of(
                                connection,
                                "SELECT id, ordering_key FROM " + App.EVENTS + " WHERE event_name LIKE '" + context
                                        + ".%' ORDER BY (payload->>'n')::int")
                        .compare(routed.seen(), Witness.Sighting::id)
                        .assertClean();
            }
        }
        assertThat(pipeline.deadLetters().list("events", named(context)).size()).isZero();
    }

    private static Selection named(String context) {
        return new Selection(
                Set.of(), Optional.empty(), Optional.of(context + ".*"), Optional.empty(), Integer.MAX_VALUE);
    }

    private static long replay(String x, Selection selection, String by) {
        return pipeline.deadLetters()
                .replay(x, selection, new Replay.Order(UUID.randomUUID().toString(), by, false))
                .count(Replay.Outcome.REPLAYED);
    }

    /** Waits until all these rows are parked. */
    private static Map<UUID, DeadLetter> awaitDead(String x, Collection<UUID> rows) {
        Selection selection = Selection.ofRows(rows.stream().map(UUID::toString).collect(Collectors.toSet()));
        return await(rows.size() + " dead letters of " + x)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().list(x, selection), letters -> letters.size() == rows.size())
                .stream()
                .collect(Collectors.toMap(letter -> UUID.fromString(letter.rowId()), letter -> letter));
    }

    /** Ends of all topics but that of the positions, in which the engine's heart beats. */
    private static Map<TopicPartition, Long> ends() throws ExecutionException, InterruptedException {
        try (Admin admin = stack.admin()) {
            Map<TopicPartition, OffsetSpec> all = new HashMap<>();
            Set<String> topics = stack.topics();
            topics.remove(pipeline.topics().positions());
            admin.describeTopics(topics)
                    .allTopicNames()
                    .get()
                    .values()
                    .forEach(topic -> topic.partitions()
                            .forEach(p ->
                                    all.put(new TopicPartition(topic.name(), p.partition()), OffsetSpec.latest())));
            Map<TopicPartition, Long> ends = new HashMap<>();
            admin.listOffsets(all).all().get().forEach((partition, info) -> ends.put(partition, info.offset()));
            return ends;
        }
    }

    private static UUID insertEvent(
            Connection connection, String name, @Nullable Integer version, String payload, String headers)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + App.EVENTS
                + " (event_name, event_version, payload, headers) VALUES (?, ?, ?::json, ?::json) RETURNING id")) {
            statement.setString(1, name);
            statement.setObject(2, version, Types.INTEGER);
            statement.setString(3, payload);
            statement.setString(4, headers);
            try (var rows = statement.executeQuery()) {
                rows.next();
                return Optional.ofNullable(rows.getObject(1, UUID.class)).orElseThrow();
            }
        }
    }
}
