package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.RetentionConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.upkeep.Rhythm;
import io.tailrace.operations.upkeep.Upkeep;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A secret that the configuration names stands in no table, log, console, metric, audit copy, dead letter or note once its row is done, and
 * while it is not in nothing but the row and the topics that carry payloads. Looked for everywhere, not where it is expected.
 */
@RealParts
class SecretsTest {

    private static final String SECRET = "4711-0042-secret";

    /** As an application may write it, so that a search for the text alone would be blind. */
    private static final String WRITTEN = "4711-0042\\u002dsecret";

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private App app;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Pipeline pipeline;

    private final Map<Stage, Child> parts = new HashMap<>();
    private final List<String> consoles = new ArrayList<>();

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.on(
                stack,
                settings -> settings.route("shop.*")
                        .secret("events", "*", "customer.card", "headers.api-key")
                        .secret("commands", "shop.work", "card", "rejectUnless", "unless")
                        .with("router.retry.base", "50ms")
                        .with("router.retry.cap", "50ms")
                        .with("router.retry.max-attempts", "1")
                        .with("executor.retry.base", "50ms")
                        .with("executor.retry.cap", "50ms")
                        .with("executor.retry.max-attempts", "2"));
        for (Stage stage : Stage.values()) {
            parts.put(stage, pipeline.startChild(stage));
        }
        for (Child part : parts.values()) {
            part.awaitReady();
        }
    }

    @AfterEach
    void stop() {
        pipeline.close();
    }

    @Test
    void aSecretIsNowhereButInRowsThatAreNeededAndInTopicsThatCarryPayloads() throws SQLException {
        UUID delivered = event("shop.thing");
        UUID dead = event("void.thing");
        UUID discarded = event("void.other");
        UUID forgotten = event("void.old");
        UUID run = app.command("k", "{\"n\":1,\"card\":\"" + WRITTEN + "\"}");
        UUID rejected = app.command("r", "{\"n\":1,\"rejectUnless\":\"" + WRITTEN + "\"}");
        UUID purged = app.command("p", "{\"n\":1,\"rejectUnless\":\"" + WRITTEN + "\"}");
        UUID cancelled = cancelledAheadOfItsTime();
        UUID failing = app.command("f", "{\"n\":1,\"unless\":\"" + WRITTEN + "\"}");

        assertDelivered(delivered);
        for (UUID letter : List.of(dead, discarded, forgotten)) {
            awaitDead(Topics.EVENTS, letter);
        }
        for (UUID letter : List.of(rejected, purged, failing)) {
            awaitDead(Topics.COMMANDS, letter);
            assertThat(app.row(letter, "last_error")).contains("switch [redacted] is off");
        }
        await("scrubbed")
                .atMost(PATIENCE)
                .until(() -> rowsWithTheSecret().equals(Set.of(dead, discarded, forgotten, rejected, purged, failing)));
        assertThat(app.row(run, "payload::text")).isEqualTo("{\"n\":1,\"card\":null}");
        assertThat(app.row(cancelled, "payload::text"))
                .as("long before it would have been due")
                .isEqualTo("{\"n\":1,\"card\":null}");
        ask("dlq", "show", dead.toString(), "--payload");
        ask("dlq", "show", rejected.toString(), "--payload", "-o", "json");
        ask("commands", "show", failing.toString(), "--payload");
        assertNothingTellsIt();

        ask("dlq", "discard", discarded.toString());
        stack.execute("UPDATE tailrace.internal_command SET status = 'CANCELLED' WHERE id = '" + rejected + "'");
        ask("dlq", "discard", rejected.toString());
        await("scrubbed")
                .atMost(PATIENCE)
                .until(() -> rowsWithTheSecret().equals(Set.of(dead, forgotten, purged, failing)));

        pipeline.change(settings -> settings.route("void.*"));
        consoles.add(Objects.requireNonNull(parts.get(Stage.ROUTER)).console());
        Child router = pipeline.startChild(Stage.ROUTER);
        parts.put(Stage.ROUTER, router);
        router.awaitReady();
        ask("dlq", "replay", "--id", dead.toString());
        assertDelivered(dead);
        await("scrubbed").atMost(PATIENCE).until(() -> rowsWithTheSecret().equals(Set.of(forgotten, purged, failing)));
        assertNothingTellsIt();
        purgedOrForgotten(purged, forgotten, failing);
    }

    /** The row of one goes, the letters of the others have had their time. */
    private void purgedOrForgotten(UUID purged, UUID forgotten, UUID failing) throws SQLException {
        // By hand, so that nobody was told that its secrets are not needed any more.
        stack.execute(
                "UPDATE tailrace.internal_command SET status = 'CANCELLED', completed_at = now() - interval '2 hours',"
                        + " run_at = now() - interval '2 hours' WHERE id = '" + purged + "'");
        ask("commands", "purge", "--older-than", "1h");
        assertThat(rowsWithTheSecret()).isEqualTo(Set.of(forgotten, failing));

        clearDeadLettersOfAllAges();
        for (UUID letter : List.of(forgotten, failing)) {
            String x = letter.equals(failing) ? Topics.COMMANDS : Topics.EVENTS;
            assertThat(pipeline.deadLetters().find(x, letter.toString())).isEmpty();
        }
        await("scrubbed").atMost(PATIENCE).until(() -> rowsWithTheSecret().isEmpty());
        assertNothingTellsIt();
    }

    /** As if 30 days had gone by. Afterwards an executor runs again. */
    private void clearDeadLettersOfAllAges() {
        Child executor = Objects.requireNonNull(parts.get(Stage.EXECUTOR));
        consoles.add(executor.console());
        executor.kill();
        Logger log = (Logger) LoggerFactory.getLogger(Upkeep.class.getPackageName());
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        Duration never = Duration.ofDays(1);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (Upkeep upkeep = new Upkeep(
                pipeline.config().with(new RetentionConfig(Duration.ZERO, Duration.ofMillis(1), never)),
                new Rhythm(never, Duration.ofSeconds(1), never, Duration.ZERO, Duration.ofSeconds(1)),
                meters,
                Clock.systemUTC())) {
            upkeep.start();
            await("letters have gone")
                    .atMost(PATIENCE)
                    .until(() -> List.of(Topics.EVENTS, Topics.COMMANDS).stream()
                            .allMatch(x -> meters.get("tailrace.upkeep.expired.letters")
                                            .tag("x", x)
                                            .counter()
                                            .count()
                                    > 0));
        } finally {
            log.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("cleared"));
        lines.list.forEach(line -> consoles.add(line.getFormattedMessage() + line.getThrowableProxy()));
        Child next = pipeline.startChild(Stage.EXECUTOR);
        parts.put(Stage.EXECUTOR, next);
        next.awaitReady();
    }

    private UUID cancelledAheadOfItsTime() throws SQLException {
        UUID id = UUID.randomUUID();
        stack.execute(
                "INSERT INTO tailrace.internal_command (id, command_name, payload, run_at) VALUES ('" + id
                        + "', 'shop.work', '{\"n\":1,\"card\":\"" + SECRET + "\"}', now() + interval '1 year')",
                "SELECT tailrace.cancel_command('" + id + "')");
        return id;
    }

    private UUID event(String name) throws SQLException {
        return app.transact(connection -> {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO tailrace.outbox (event_name, ordering_key, payload, headers) VALUES (?, 'k', ?::json, ?::json)"
                            + " RETURNING id")) {
                insert.setString(1, name);
                insert.setString(2, payload("\"" + WRITTEN + "\""));
                insert.setString(3, "{\"api-key\":\"" + SECRET + "\",\"region\":\"eu\"}");
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    return row.getObject(1, UUID.class);
                }
            }
        });
    }

    private static String payload(String card) {
        return "{ \"total\" :1e2, \"customer\": {\"card\":" + card + "} }";
    }

    /** Whole at its destination, and without the secret on the audit feed. */
    private void assertDelivered(UUID id) {
        String feed = pipeline.topics().auditFeed();
        ConsumerRecord<byte[], byte[]> copy = stack
                .reader()
                .await("copy of " + id, read -> read.stream().anyMatch(each -> isOf(id, each)), PATIENCE, feed)
                .stream()
                .filter(each -> isOf(id, each))
                .findFirst()
                .orElseThrow();
        String destination = Objects.requireNonNull(TopicReader.header(copy, "tailrace-destination"));
        ConsumerRecord<byte[], byte[]> routed = stack.reader().read(destination).stream()
                .filter(each -> isOf(id, each))
                .findFirst()
                .orElseThrow();
        assertThat(TopicReader.text(routed.value())).isEqualTo(payload("\"" + WRITTEN + "\""));
        assertThat(TopicReader.header(routed, "api-key")).isEqualTo(SECRET);
        assertThat(TopicReader.text(copy.value())).isEqualTo(payload("null"));
        assertThat(TopicReader.headers(copy)).containsEntry("region", "eu").containsEntry("api-key", null);
    }

    private static boolean isOf(UUID id, ConsumerRecord<byte[], byte[]> record) {
        return id.toString().equals(TopicReader.header(record, "ce_id"));
    }

    private void awaitDead(String x, UUID row) {
        DeadLetter letter = await("dead letter of " + row)
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().find(x, row.toString()), Optional::isPresent)
                .orElseThrow();
        assertThat(letter.payload()).isEqualTo(DeadLetter.Payload.OMITTED);
    }

    /**
     * A verb of the command line; what it prints is looked at in the end. It gives up a server that does not answer within seconds, as
     * happens on a busy machine, and has then done nothing yet.
     */
    private void ask(String... arguments) {
        await(String.join(" ", arguments)).atMost(PATIENCE.multipliedBy(4)).until(() -> {
            try (ChildJvm verb = pipeline.cli(arguments)) {
                int exit = verb.awaitExit(PATIENCE);
                String said = String.join("\n", verb.output());
                consoles.add(said);
                if (exit != 0 && said.contains("does not answer")) {
                    return false;
                }
                assertThat(exit).as(said).isZero();
                return true;
            }
        });
    }

    private Set<UUID> rowsWithTheSecret() throws SQLException {
        Set<UUID> rows = new HashSet<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("tailrace.outbox", "tailrace.internal_command")) {
                try (ResultSet found = statement.executeQuery("SELECT id, t::text FROM " + table + " t")) {
                    while (found.next()) {
                        if (tells(found.getString(2))) {
                            rows.add(found.getObject(1, UUID.class));
                        }
                    }
                }
            }
        }
        return rows;
    }

    private void assertNothingTellsIt() throws SQLException {
        Topics topics = pipeline.topics();
        Set<String> carriers = new HashSet<>(Set.of(
                topics.rawEvents(),
                topics.rawCommands(),
                topics.commands(),
                topics.retry(Topics.EVENTS),
                topics.retry(Topics.COMMANDS),
                topics.redelivery(Topics.COMMANDS),
                pipeline.destination("shop"),
                pipeline.destination("void")));
        List<String> others = stack.topics().stream()
                .filter(topic -> topic.startsWith(stack.namespace() + "."))
                .filter(topic -> !carriers.contains(topic) && !topic.contains(".router-"))
                .toList();
        assertThat(others)
                .contains(
                        topics.auditFeed(),
                        topics.operations(),
                        topics.deadLetters(Topics.EVENTS),
                        topics.deadLetters(Topics.COMMANDS));
        for (ConsumerRecord<byte[], byte[]> record : stack.reader().read(others.toArray(String[]::new))) {
            assertThat(tells(textOf(record)))
                    .as("%s: %s", record.topic(), TopicReader.headers(record))
                    .isFalse();
        }
        for (String table : otherTables()) {
            assertThat(tells(table)).as(table).isFalse();
        }
        for (Child part : parts.values()) {
            consoles.add(part.console());
            consoles.add(part.show("/metrics"));
            consoles.add(part.show("/health/ready"));
        }
        consoles.forEach(console -> assertThat(tells(console)).as(console).isFalse());
    }

    /** All tables but those two whose rows may hold it as long as they are needed. */
    private List<String> otherTables() throws SQLException {
        List<String> contents = new ArrayList<>();
        try (Connection connection = stack.connect();
                Statement names = connection.createStatement();
                Statement rows = connection.createStatement();
                ResultSet table = names.executeQuery("SELECT schemaname, tablename FROM pg_tables"
                        + " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
                        + " AND tablename NOT IN ('outbox', 'internal_command')")) {
            while (table.next()) {
                String name = "\"%s\".\"%s\"".formatted(table.getString(1), table.getString(2));
                try (ResultSet all = rows.executeQuery("SELECT string_agg(t::text, E'\\n') FROM " + name + " t")) {
                    all.next();
                    contents.add(name + "\n" + all.getString(1));
                }
            }
        }
        assertThat(contents).isNotEmpty();
        return contents;
    }

    private static String textOf(ConsumerRecord<byte[], byte[]> record) {
        return TopicReader.headers(record).entrySet().stream()
                .map(header -> header.getKey() + "=" + header.getValue())
                .collect(Collectors.joining(
                        "\n", TopicReader.text(record.key()) + "\n" + TopicReader.text(record.value()) + "\n", ""));
    }

    /** The secret, or enough of it. */
    private static boolean tells(@Nullable String text) {
        return text != null && text.contains("4711-0042");
    }
}
