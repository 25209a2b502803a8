package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows with any name, any payload and of any size go all the way or say why not, in tables whose names are as odd as names may be. */
@RealParts
class RowsOfEveryKindTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final TableNames ODD = new TableNames("Größe \"q\" 1%_", "Out.Box, it's [é]", "Befehl 😀 (a|b)?");

    private static final Pattern RAISE = Pattern.compile("--entity-name (\\S+) --add-config (\\S+)=(\\S+)");

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(
                stack,
                settings -> settings.with("source.tables.schema", ODD.schema())
                        .with("source.tables.outbox", ODD.outbox())
                        .with("source.tables.internal-command", ODD.internalCommand())
                        .with("router.routes.default", "context")
                        .with("topics.max-message-bytes", "64KiB"));
    }

    @AfterAll
    static void stop() {
        pipeline.close();
    }

    @Test
    void everyNameIsRoutedOrExplained() throws SQLException {
        Map<String, UUID> invalid = new LinkedHashMap<>();
        for (String name : List.of(
                "",
                "one",
                "a b.c",
                "a/b.c",
                "$1.x",
                "😀.x",
                "ä.x",
                "..",
                "a..b",
                ".a",
                "a.",
                "a\nb.c",
                "n.".repeat(150),
                "dlq.cleared",
                "retry.requested",
                "redelivery.x",
                "raw.x",
                "audit.x",
                "tailrace.x")) {
            invalid.put(name, event(name, null, "{}"));
        }
        Map<String, String> valid = Map.of("Upper.Case", "Upper", "a.b", "a", "a_b.c", "a_b", "a-b.c.v2", "a-b");
        Map<UUID, String> topics = new HashMap<>();
        for (Map.Entry<String, String> name : valid.entrySet()) {
            topics.put(event(name.getKey(), "k", "{}"), pipeline.destination(name.getValue()));
        }
        for (Map.Entry<String, UUID> row : invalid.entrySet()) {
            DeadLetter letter = awaitDead(Topics.EVENTS, row.getValue());
            assertThat(letter.reason()).as("'%s'", row.getKey()).isEqualTo("name-invalid");
            assertThat(letter.name()).isEqualTo(row.getKey());
            assertThat(letter.errorMessage()).isNotBlank();
        }
        topics.forEach((row, topic) -> assertThat(delivered(topic, row).value()).isNotNull());
    }

    @Test
    void everyPayloadArrivesAsItWasWritten() throws SQLException {
        List<@Nullable String> payloads = new ArrayList<>();
        payloads.add(null);
        payloads.addAll(List.of(
                "null",
                "{}",
                "[]",
                "\"\"",
                "{\"a\":null}",
                "12345678901234567890",
                "1e400",
                "{\"k\":1,\"k\" :2}",
                "\"😀 \\ud800 \\u0000\"",
                "[".repeat(1000) + "]".repeat(1000)));
        Map<UUID, @Nullable String> written = new LinkedHashMap<>();
        for (String payload : payloads) {
            written.put(event("kind.of-payload", "k", payload), payload);
        }
        written.forEach((row, payload) -> {
            ConsumerRecord<byte[], byte[]> record = delivered(pipeline.destination("kind"), row);
            assertThat(TopicReader.text(record.value())).isEqualTo(payload);
            assertThat(TopicReader.headers(record)).doesNotContainKey("tailrace-payload");
        });
    }

    @Test
    void whatIsTooLargeForKafkaIsDeadUntilTheLimitIsRaised() throws Exception {
        String large = "{ \"pad\" : \"" + "x".repeat(200_000) + "\"}";
        delivered(pipeline.destination("big"), event("big.small", "k", "{}"));
        UUID event = event("big.event", "k", large);
        UUID after = event("big.after", "k", "{}");
        UUID command = command("k", "{\"n\":7" + " ".repeat(200_000) + "}");
        DeadLetter letter = awaitDead(Topics.EVENTS, event);
        assertThat(letter.reason()).isEqualTo("too-large");
        assertThat(letter.payload()).isEqualTo(DeadLetter.Payload.OMITTED);
        delivered(pipeline.destination("big"), after);
        assertThat(awaitDead(Topics.COMMANDS, command).reason()).isEqualTo("too-large");

        // A command needs nothing raised: the executor has its payload from the row.
        try (ChildJvm replay = pipeline.cli("dlq", "replay", "--of", "commands", "--id", command.toString())) {
            assertThat(replay.awaitExit(PATIENCE)).as("%s", replay.output()).isZero();
        }
        await("the command has run")
                .atMost(PATIENCE)
                .until(() -> app.effectsOf("k").equals(List.of(7)));

        try (ChildJvm early = pipeline.cli("dlq", "replay", "--of", "events", "--id", event.toString())) {
            assertThat(early.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(early.output())
                    .anyMatch(line -> line.contains("still-too-large") && line.contains("topics.max-message-bytes"));
        }
        for (Stage stage : Stage.values()) {
            pipeline.stop(stage);
        }
        pipeline.change(settings -> settings.with("topics.max-message-bytes", "1MiB"));
        startAfterDoingAsTold(Stage.ENGINE);
        startAfterDoingAsTold(Stage.ROUTER);
        pipeline.start(Stage.EXECUTOR);

        assertThat(replayed(event)).isEqualTo(Replay.Outcome.REPLAYED);
        DeadLetter again = await("its destination does not take it yet")
                .atMost(PATIENCE)
                .until(
                        () -> pipeline.deadLetters().find(Topics.EVENTS, event.toString()),
                        found -> found.filter(each -> each.replayCount() == 1).isPresent())
                .orElseThrow();
        assertThat(again.reason()).isEqualTo("too-large");
        assertThat(again.payload()).isEqualTo(DeadLetter.Payload.INLINE);
        assertThat(again.errorMessage()).contains(pipeline.destination("big") + " takes 65536 bytes");
        set(pipeline.destination("big"), "max.message.bytes", Integer.toString(1 << 20));
        await("the router has seen it")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(2))
                .untilAsserted(() -> {
                    if (replayed(event) == Replay.Outcome.REPLAYED) {
                        await().atMost(Duration.ofSeconds(5))
                                .until(() -> !records(pipeline.destination("big"), event)
                                        .isEmpty());
                    }
                    assertThat(records(pipeline.destination("big"), event)).isNotEmpty();
                });
        assertThat(records(pipeline.destination("big"), event)).singleElement().satisfies(record -> {
            assertThat(TopicReader.text(record.value())).isEqualTo(large);
            assertThat(TopicReader.header(record, "content-type")).isEqualTo("application/json");
        });
        assertThat(pipeline.deadLetters().find(Topics.EVENTS, event.toString())).isEmpty();
        assertThat(app.effectsOf("k")).containsExactly(7);
    }

    @Test
    void operatorsSeeTheOddTables() {
        for (String[] verb : new String[][] {{"db", "check"}, {"status"}, {"commands", "count"}}) {
            try (ChildJvm cli = pipeline.cli(verb)) {
                assertThat(cli.awaitExit(PATIENCE)).as("%s", cli.output()).isZero();
            }
        }
    }

    /** Whatever a refusal tells to change is changed. */
    private static void startAfterDoingAsTold(Stage stage) throws Exception {
        StartRefused refused = catchThrowableOfType(StartRefused.class, () -> pipeline.start(stage));
        assertThat(refused).as("%s starts on topics that are too small", stage).isNotNull();
        Matcher told = RAISE.matcher(String.valueOf(refused.getMessage()));
        while (told.find()) {
            set(told.group(1), told.group(2), told.group(3));
        }
        pipeline.stop(stage).start(stage);
    }

    private static void set(String topic, String setting, String value) throws Exception {
        try (Admin admin = stack.admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    private static Replay.@Nullable Outcome replayed(UUID event) {
        return pipeline
                .deadLetters()
                .replay(
                        Topics.EVENTS,
                        Selection.ofRows(Set.of(event.toString())),
                        new Replay.Order(UUID.randomUUID().toString(), "the test", false))
                .rows()
                .stream()
                .map(Replay.Row::outcome)
                .findFirst()
                .orElse(null);
    }

    private static ConsumerRecord<byte[], byte[]> delivered(String topic, UUID row) {
        await(topic + " is there").atMost(PATIENCE).until(() -> stack.topics().contains(topic));
        return await("row " + row + " in " + topic)
                .atMost(PATIENCE)
                .until(() -> records(topic, row), records -> !records.isEmpty())
                .get(0);
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(String topic, UUID row) {
        return stack.reader().read(topic).stream()
                .filter(record -> row.toString().equals(TopicReader.header(record, "ce_id")))
                .toList();
    }

    private static DeadLetter awaitDead(String x, UUID row) {
        return await("the dead letter of " + row)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().find(x, row.toString()), Optional::isPresent)
                .orElseThrow();
    }

    private static UUID event(String name, @Nullable String key, @Nullable String payload) throws SQLException {
        return insert(ODD.qualified(ODD.outbox()) + " (event_name,", name, key, payload);
    }

    private static UUID command(String key, String payload) throws SQLException {
        return insert(ODD.qualified(ODD.internalCommand()) + " (command_name,", EffectHandler.NAME, key, payload);
    }

    private static UUID insert(String into, String name, @Nullable String key, @Nullable String payload)
            throws SQLException {
        return app.transact(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "INSERT INTO " + into + " ordering_key, payload) VALUES (?, ?, ?::json) RETURNING id")) {
                statement.setString(1, name);
                statement.setString(2, key);
                statement.setString(3, payload);
                return id(connection, statement);
            }
        });
    }

    private static UUID id(Connection connection, PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getObject(1, UUID.class);
        }
    }
}
