package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Halt;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Selection;
import io.tailrace.operations.Status;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What operators change while a router runs: its routes, and keys that stop at a dead letter. The router is a process of its own. */
@RealParts
class RoutesUnderWayTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Fits the raw topic and the dead letters, and not the ledger as it is at first. */
    private static final String LARGE = "x".repeat(9_000);

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;
    private static Child router;
    private static String ledger;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        ledger = stack.createTopic("events.ledger", 2, Map.of("max.message.bytes", "4000"));
        pipeline = Pipeline.on(
                stack,
                settings -> settings.route("ledger.*", Map.of("on-dead-letter", "halt-key"))
                        .route("shop.*")
                        .secret("events", "vault.*", "card", "headers.api-key")
                        .with("router.retry.base", "50ms")
                        .with("router.retry.cap", "50ms")
                        .with("router.retry.max-attempts", "1"));
        router = pipeline.startChild(Stage.ROUTER);
        pipeline.start(Stage.ENGINE);
        router.awaitReady();
    }

    @AfterAll
    static void stop() {
        pipeline.close();
    }

    @Test
    void aKeyStopsAtItsDeadLetterUntilItIsSkippedOrReplayed() throws Exception {
        UUID skipped = aKeyThatStops("a");
        UUID replayed = aKeyThatStops("b");
        try (Witness witness = Witness.of(stack, ledger)) {
            app.event("ledger.posted", "others", 1);
            awaitDelivered(witness, "others", "1");
            Map<String, Halt> halts = await("2 rows wait behind each")
                    .atMost(PATIENCE)
                    .until(
                            RoutesUnderWayTest::halts,
                            seen -> seen.equals(Map.of(
                                    skipped.toString(), new Halt(2, true), replayed.toString(), new Halt(2, true))));
            assertThat(halts).hasSize(2);
            assertThat(new Status(pipeline.config(), Clock.systemUTC()).look().haltedKeys())
                    .isEqualTo(2);
            assertThat(numbers(witness, "a")).containsExactly("1");
            assertThat(numbers(witness, "b")).containsExactly("1");

            assertThat(skip(skipped, true).rows())
                    .extracting(Replay.Row::text)
                    .containsExactly("would-skip: 2 newer rows go on");
            assertThat(notes()).isEmpty();
            ask("dlq", "skip", skipped.toString(), "--by", "anna", "--why", "booked by hand");
            awaitDelivered(witness, "a", "1", "3", "4");
            assertThat(notes())
                    .containsExactly(
                            "skipped: of=events row=%s reason=too-large by=anna why=booked by hand".formatted(skipped));
            assertThat(skip(skipped, false).count(Outcome.NOT_HALTED)).isEqualTo(1);
            assertThat(numbers(witness, "b")).as("it stops as ever").containsExactly("1");

            raiseLedger();
            assertThat(replay(replayed).rows())
                    .extracting(row -> row.newer().map(Replay.Newer::text))
                    .containsExactly(Optional.of("0"));
            awaitDelivered(witness, "b", "1", "2", "3", "4");
            assertThat(replay(skipped).rows())
                    .extracting(row -> row.newer().map(Replay.Newer::text))
                    .containsExactly(Optional.of("2"));
            awaitDelivered(witness, "a", "1", "3", "4", "2");
            assertThat(witness.seen().stream().filter(Witness.Sighting::isLate))
                    .extracting(Witness.Sighting::id)
                    .containsExactly(skipped.toString());
            assertThat(halts()).isEmpty();
        }
    }

    /** Also: a dead letter by reference is replayed bit for bit when its row was cleaned up long ago. */
    @Test
    void routesChangeUnderWayAndABadFileChangesNothing() throws Exception {
        String payload = "{ \"card\":\"47\\u00311\" ,\"total\":1.50e2}";
        UUID vaulted = insert("vault.opened", "v", payload, "{\"api-key\":\"s3cret\"}");
        assertThat(awaitDead(vaulted).payload()).isEqualTo(DeadLetter.Payload.OMITTED);
        stack.execute("DELETE FROM tailrace.outbox WHERE id = '" + vaulted + "'");

        Map<String, String> both =
                Map.of("topic", stack.namespace() + ".new", "legacy-topic", stack.namespace() + ".old");
        pipeline.rewrite(settings -> settings.route("vault.*").route("moving.*", both));
        router.awaitLine(1, "Routes changed: rules=4");
        UUID first = app.event("moving.on", "m", 1);
        assertInBothByOneProducer(first);
        assertThat(replay(vaulted).count(Outcome.REPLAYED)).isEqualTo(1);
        ConsumerRecord<byte[], byte[]> delivered = awaitRecord(pipeline.destination("vault"), vaulted);
        assertThat(TopicReader.text(delivered.value())).isEqualTo(payload);
        assertThat(TopicReader.header(delivered, "api-key")).isEqualTo("s3cret");

        pipeline.rewrite(settings ->
                settings.route("moving.*", Map.of("topic", pipeline.topics().commands())));
        // The configuration of what runs; the file is as it was written.
        pipeline.change(settings -> settings.route("moving.*", both));
        router.awaitLine(1, "the routes stay as they are");
        assertThat(router.awaitLine(1, "written by Tailrace")).contains("moving.*", "commands");
        router.hangUp();
        router.awaitLine(2, "the routes stay as they are"); // Read again although the file is the same.
        UUID second = app.event("moving.on", "m", 2);
        awaitRecord(stack.namespace() + ".old", second);
        awaitRecord(stack.namespace() + ".new", second);

        pipeline.rewrite(settings -> settings.route("moving.*", Map.of("topic", stack.namespace() + ".new")));
        router.hangUp();
        router.awaitLine(2, "Routes changed: rules=4");
        UUID third = app.event("moving.on", "m", 3);
        awaitRecord(stack.namespace() + ".new", third);
        assertThat(read(stack.namespace() + ".old"))
                .extracting(each -> TopicReader.header(each, "ce_id"))
                .containsExactly(first.toString(), second.toString());
    }

    /** A row that flows, one that does not fit, two behind it. */
    private static UUID aKeyThatStops(String key) throws SQLException {
        app.event("ledger.posted", key, 1);
        UUID large = insert("ledger.posted", key, "{\"n\":2,\"x\":\"" + LARGE + "\"}", null);
        app.events("ledger.posted", key, 3, 2);
        DeadLetter letter = awaitDead(large);
        assertThat(letter.headers().text("tailrace-destination")).contains(ledger);
        return large;
    }

    private static void raiseLedger() throws ExecutionException, InterruptedException {
        try (Admin admin = stack.admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, ledger),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", "100000"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    /** Two records of one moment, of one producer that writes in transactions. The topology's tests show that it is one transaction. */
    private static void assertInBothByOneProducer(UUID event) throws ExecutionException, InterruptedException {
        List<TopicPartition> partitions = Stream.of("new", "old")
                .map(name -> awaitRecord(stack.namespace() + "." + name, event))
                .map(record -> new TopicPartition(record.topic(), record.partition()))
                .toList();
        try (Admin admin = stack.admin()) {
            var producers = admin.describeProducers(partitions).all().get().values().stream()
                    .flatMap(state -> state.activeProducers().stream())
                    .map(producer -> producer.producerId() + "/" + producer.producerEpoch())
                    .toList();
            assertThat(producers).hasSize(2);
            assertThat(Set.copyOf(producers)).hasSize(1);
        }
    }

    private static UUID insert(String name, String key, String payload, @Nullable String headers) throws SQLException {
        try (Connection connection = stack.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tailrace.outbox (event_name, ordering_key, payload, headers)"
                                + " VALUES (?, ?, ?::json, ?::json) RETURNING id")) {
            insert.setString(1, name);
            insert.setString(2, key);
            insert.setString(3, payload);
            insert.setString(4, headers);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return Objects.requireNonNull(row.getObject(1, UUID.class));
            }
        }
    }

    private static DeadLetter awaitDead(UUID row) {
        return await("dead letter of " + row)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().find(Topics.EVENTS, row.toString()), Optional::isPresent)
                .orElseThrow();
    }

    private static Map<String, Halt> halts() {
        return pipeline.deadLetters()
                .halts(pipeline.deadLetters().list(Topics.EVENTS, Selection.ALL))
                .byRow();
    }

    private static Replay.Report skip(UUID row, boolean dryRun) {
        return pipeline.deadLetters().skip(Set.of(row.toString()), order(dryRun));
    }

    private static Replay.Report replay(UUID row) {
        return pipeline.deadLetters().replay(Topics.EVENTS, Selection.ofRows(Set.of(row.toString())), order(false));
    }

    private static Replay.Order order(boolean dryRun) {
        return new Replay.Order(UUID.randomUUID().toString(), "the test", dryRun);
    }

    private static void ask(String... arguments) {
        try (ChildJvm verb = pipeline.cli(arguments)) {
            assertThat(verb.awaitExit(PATIENCE)).as("%s", verb.output()).isZero();
        }
    }

    private static List<String> notes() {
        return stack.reader().read(pipeline.topics().operations()).stream()
                .map(note -> String.valueOf(TopicReader.text(note.value())))
                .filter(note -> note.startsWith("skipped"))
                .toList();
    }

    private static void awaitDelivered(Witness witness, String key, String... numbers) {
        await(key).atMost(PATIENCE).until(() -> numbers(witness, key).size() >= numbers.length);
        assertThat(numbers(witness, key)).as(key).containsExactly(numbers);
    }

    /** The numbers of a key's events, in the order of their delivery. */
    private static List<String> numbers(Witness witness, String key) {
        return witness.of(key).stream()
                .map(each -> Objects.requireNonNull(each.value()).substring(5, 6))
                .toList();
    }

    private static ConsumerRecord<byte[], byte[]> awaitRecord(String topic, UUID row) {
        return await(row + " in " + topic)
                .atMost(PATIENCE)
                .until(
                        () -> read(topic).stream()
                                .filter(each -> row.toString().equals(TopicReader.header(each, "ce_id")))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return stack.topics().contains(topic) ? stack.reader().read(topic) : List.of();
    }
}
