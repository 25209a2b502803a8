package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.recover.Order;
import io.tailrace.engine.recover.Order.Way;
import io.tailrace.engine.recover.Report;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The way out of each refusal: afterwards an engine starts, and every row of the tables is in the raw topics as often as in the table. */
@RealParts
class RecoveryTest {

    /** The same row, written before the gap and in it. */
    private static final String RICH_ROW = """
            INSERT INTO tailrace.outbox (event_name, event_version, ordering_key, payload, headers, tenant_id, user_roles, traceparent)
            VALUES ('sales.order-placed', 2, 'k%s', '{"n": 1e3, "n": "ü"}', '{"colour": "blue"}', 't', 'a,b', '00-x')""";

    @Test
    void whatWasCommittedWithoutASlotIsPublishedFromTheTables(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute(
                    RICH_ROW.formatted(1),
                    "INSERT INTO tailrace.internal_command (command_name, run_at) VALUES ('bill', '2020-01-01 00:00:00.0001Z')",
                    "INSERT INTO tailrace.outbox (id, event_name, payload) VALUES ('00000000-0000-7000-8000-000000000001', 'a.twice', '1')");
            stack.reader().awaitCount(2, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawCommands());
        }
        stack.execute(
                EngineFixture.dropSlot(slot(stack)),
                RICH_ROW.formatted(2),
                "INSERT INTO tailrace.outbox (event_name, payload_binary, content_type) VALUES ('a.binary', '\\x00ff', 'x/y')",
                "INSERT INTO tailrace.outbox (event_name, headers) VALUES ('a.malformed', '[]')",
                "INSERT INTO tailrace.outbox (id, event_name, payload) VALUES ('00000000-0000-7000-8000-000000000001', 'a.twice', '2')",
                "INSERT INTO tailrace.outbox (event_name) SELECT 'a.many' FROM generate_series(1, 500)",
                "INSERT INTO tailrace.internal_command (command_name, run_at) VALUES ('bill', '2020-01-01 00:00:00.0001Z')",
                "INSERT INTO tailrace.internal_command (command_name, run_at) VALUES ('never', 'infinity')",
                "INSERT INTO tailrace.internal_command (command_name, status) VALUES ('done', 'COMPLETED')");

        Report dry = recover(stack, order(Way.FROM_TABLE, true));
        assertThat(dry.compared().orElseThrow().events().lacking()).isEqualTo(504);
        assertThat(slots(stack)).as("a dry run makes no slot").isZero();

        Report report = recover(stack, order(Way.FROM_TABLE, false));

        assertThat(report.publishedEvents()).isEqualTo(504);
        assertThat(report.publishedCommands()).isEqualTo(2);
        assertThat(report.compared().orElseThrow().commands().settled()).isEqualTo(1);
        assertThat(report.refusals()).singleElement().asString().contains("is gone");
        assertThat(report.epoch()).isEqualTo(1);
        assertEverythingIsThereOnce(stack);
        assertThat(named(stack, "raw.events", "a.twice"))
                .as("of rows with one id the one that was lacking")
                .extracting(record -> TopicReader.text(record.value()))
                .containsExactly("1", "2");
        List<ConsumerRecord<byte[], byte[]>> rich = named(stack, "raw.events", "sales.order-placed");
        assertThat(same(rich.get(1))).isEqualTo(same(rich.get(0)));
        assertThat(rich.get(1).value()).isEqualTo(rich.get(0).value());
        List<ConsumerRecord<byte[], byte[]>> bills = named(stack, "raw.commands", "bill");
        assertThat(same(bills.get(1)))
                .isEqualTo(same(bills.get(0)))
                .containsEntry("tailrace-not-before", "1577836800001");
        assertThat(named(stack, "raw.commands", "never")
                        .get(0)
                        .headers()
                        .lastHeader("tailrace-not-before")
                        .value())
                .asString()
                .isEqualTo(Long.toString(Long.MAX_VALUE));
        assertThat(notes(stack))
                .singleElement()
                .asString()
                .contains(
                        "\"act\":\"engine recover --from-table\"",
                        "\"fromLsn\":\"" + report.gapFrom() + "\"",
                        "\"toLsn\":\"" + report.gapTo() + "\"",
                        "\"publishedEvents\":504",
                        "\"note\":\"INC-1\"");
        // Again changes nothing: it is all there.
        assertThat(recover(stack, order(Way.FROM_TABLE, false)).publishedEvents())
                .isZero();
    }

    @Test
    void actsOnCommandsThatOnlyTheLogHeldAreToldFromTheRows(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String dead = "00000000-0000-7000-8000-00000000000d";
        String moved = "00000000-0000-7000-8000-00000000000a";
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute(
                    insertCommand(dead),
                    insertCommand(moved),
                    insertCommand("00000000-0000-7000-8000-00000000000b"),
                    "UPDATE tailrace.internal_command SET status = 'DEAD', turn = 3, place = 7, attempts = 2, last_error = 'x' WHERE id = '"
                            + dead + "'");
            stack.reader().awaitCount(3, EngineFixture.PATIENCE, fixture.topics.rawCommands());
        }
        stack.execute(
                EngineFixture.dropSlot(slot(stack)),
                "SELECT tailrace.requeue_command('" + dead + "')",
                "SELECT tailrace.reschedule_command('" + moved + "', '2030-01-01Z')");

        Report report = recover(stack, order(Way.FROM_TABLE, false));

        assertThat(report.publishedCommands()).isZero();
        assertThat(report.publishedActs()).isEqualTo(2);
        Map<String, Map<String, @Nullable String>> acts = new HashMap<>();
        stack
                .reader()
                .await(
                        "acts",
                        records -> records.size() >= 5,
                        EngineFixture.PATIENCE,
                        stack.namespace() + ".raw.commands")
                .stream()
                .filter(record -> "control".equals(EngineFixture.header(record, "tailrace-kind")))
                .forEach(record -> acts.put(EngineFixture.header(record, "ce_id"), TopicReader.headers(record)));
        assertThat(acts).containsOnlyKeys(dead, moved);
        assertThat(acts.get(dead))
                .containsEntry("tailrace-control", "requeue")
                .containsEntry("tailrace-turn", "4")
                .containsEntry("tailrace-place", "0:7")
                .containsEntry("ce_type", "bill");
        assertThat(acts.get(moved))
                .containsEntry("tailrace-control", "reschedule")
                .containsEntry("tailrace-not-before", "1893456000000");
    }

    private static String insertCommand(String id) {
        return "INSERT INTO tailrace.internal_command (id, command_name, run_at) VALUES ('" + id
                + "', 'bill', '2029-01-01Z')";
    }

    @Test
    void killedHalfWayAndRunAgainItNeitherLosesNorDoubles(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
        stack.execute(
                EngineFixture.dropSlot(slot(stack)),
                "INSERT INTO tailrace.outbox (event_name) SELECT 'a.gap' FROM generate_series(1, 5000)");

        List<String> heard = new ArrayList<>();
        assertThatThrownBy(() -> new EngineOperations(config(stack))
                        .recover(order(Way.FROM_TABLE, false), Clock.systemUTC(), line -> {
                            heard.add(line);
                            if (line.startsWith("published")) {
                                throw new IllegalStateException("killed");
                            }
                        }))
                .hasMessage("killed");
        stack.reader().awaitCount(2001, EngineFixture.PATIENCE, stack.namespace() + ".raw.events");
        assertThat(named(stack, "raw.events", "a.gap").size()).isEqualTo(2000);
        assertThat(slots(stack)).isEqualTo(1);
        try (EngineFixture fixture = new EngineFixture(stack)) {
            assertThatThrownBy(fixture::started).isInstanceOf(StartRefused.class);
        }
        stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.meanwhile')");

        assertThat(recover(stack, order(Way.FROM_TABLE, false)).publishedEvents())
                .isEqualTo(3001);

        assertEverythingIsThereOnce(stack);
    }

    @Test
    void aPositionThatIsLostIsMadeAnewFromTheTopics(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
        stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.after')");
        RefusalTest.losePosition(stack);

        Report report = recover(stack, order(Way.FROM_TABLE, false));

        assertThat(report.publishedEvents()).isEqualTo(1);
        // Nobody can tell whether one of the topics was made anew.
        assertThat(report.epoch()).isEqualTo(2);
        assertEverythingIsThereOnce(stack);
    }

    @Test
    void rowsThatAreOlderThanTheSlotArePublished(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute(EngineFixture.dropSlot(slot(stack)), "INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
        assertThat(recover(stack, order(Way.FROM_TABLE, false)).publishedEvents())
                .isEqualTo(1);
        assertEverythingIsThereOnce(stack);
    }

    /** Retention has emptied a partition, as it does with few keys, so that the topic alone cannot tell what it has had. */
    @Test
    void aTransactionThatWasOpenWhenThePositionWasWrittenIsPublished(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String rawEvents = stack.namespace() + ".raw.events";
        try (Connection late = stack.connect()) {
            late.setAutoCommit(false);
            try (EngineFixture fixture = new EngineFixture(stack).started()) {
                stack.execute(
                        "INSERT INTO tailrace.outbox (event_name, occurred_at) VALUES ('a.forgotten', now() - interval '30 days')");
                stack.reader().awaitCount(1, EngineFixture.PATIENCE, rawEvents);
                try (Statement statement = late.createStatement()) {
                    statement.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.late')");
                }
                stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");
                stack.reader().awaitCount(2, EngineFixture.PATIENCE, rawEvents);
            }
            ConsumerRecord<byte[], byte[]> forgotten =
                    named(stack, "raw.events", "a.forgotten").get(0);
            ConsumerRecord<byte[], byte[]> before =
                    named(stack, "raw.events", "a.before").get(0);
            stack.execute(EngineFixture.dropSlot(slot(stack)));
            late.commit();
            try (Admin admin = stack.admin()) {
                // Not the other one's, whose row is young enough to be taken for one that was never there.
                long upTo = forgotten.partition() == before.partition() ? before.offset() : forgotten.offset() + 1;
                admin.deleteRecords(Map.of(
                                new TopicPartition(rawEvents, forgotten.partition()),
                                RecordsToDelete.beforeOffset(upTo)))
                        .all()
                        .get();
            }
        }

        Clock later = Clock.offset(Clock.systemUTC(), Duration.ofDays(20));
        assertThatThrownBy(() ->
                        new EngineOperations(config(stack)).recover(order(Way.FROM_TABLE, true), later, line -> {}))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("--since INSTANT");
        Report report = recover(stack, order(Way.FROM_TABLE, false));

        assertThat(report.publishedEvents()).isEqualTo(1);
        assertThat(report.compared().orElseThrow().events().older()).isEqualTo(1);
        assertThat(named(stack, "raw.events", "a.late").size()).isEqualTo(1);
    }

    @Test
    void aRawTopicThatWasDeletedIsRefusedAndBeginsALaterEpoch(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String rawEvents = stack.namespace() + ".raw.events";
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, rawEvents);
        }
        try (Admin admin = stack.admin()) {
            admin.deleteTopics(List.of(rawEvents)).all().get();
        }
        try (EngineFixture fixture = new EngineFixture(stack)) {
            assertThatThrownBy(fixture::started)
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("Topic " + rawEvents + " was deleted and made again");
        }

        Report report = recover(stack, order(Way.FROM_TABLE, false));

        assertThat(report.publishedEvents()).isEqualTo(1);
        assertThat(report.epochBefore()).isEqualTo(1);
        assertThat(report.epoch()).isEqualTo(2);
        assertEverythingIsThereOnce(stack);
        assertThat(stack.reader().read(rawEvents))
                .extracting(record -> TopicReader.header(record, "tailrace-seq"))
                .containsOnly("2");
    }

    @Test
    void aGapThatIsAcceptedIsNotedAndNothingIsPublished(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
        assertThatThrownBy(() -> recover(stack, order(Way.ACCEPT_GAP, false)))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("There is no gap to accept");
        stack.execute(EngineFixture.dropSlot(slot(stack)), "INSERT INTO tailrace.outbox (event_name) VALUES ('a.gap')");

        recover(stack, order(Way.ACCEPT_GAP, false));

        assertThat(notes(stack))
                .singleElement()
                .asString()
                .contains("\"act\":\"engine recover --accept-gap\"", "\"by\":\"ann\"", "\"note\":\"INC-1\"", "is gone");
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.after')");
            assertThat(stack.reader().awaitCount(2, EngineFixture.PATIENCE, fixture.topics.rawEvents()))
                    .extracting(record -> EngineFixture.header(record, "ce_type"))
                    .containsExactlyInAnyOrder("a.before", "a.after");
        }
    }

    @Test
    void anEngineThatRunsIsNamedAndLeftAlone(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            assertThatThrownBy(() -> recover(stack, order(Way.FROM_TABLE, false)))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageMatching(
                            "An engine runs for slot \\S+ \\(PostgreSQL backend \\d+, a client at 127.0.0.1:\\d+.*");
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            assertThat(fixture.registry
                            .get("tailrace.engine.rebuilds")
                            .counter()
                            .count())
                    .isZero();
        }
    }

    private static Order order(Way way, boolean dryRun) {
        return new Order(way, dryRun, Optional.empty(), "ann", "INC-1");
    }

    private static Report recover(Stack stack, Order order) throws SQLException {
        return new EngineOperations(config(stack)).recover(order, Clock.systemUTC(), line -> {});
    }

    private static TailraceConfig config(Stack stack) {
        return EngineFixture.config(
                stack.namespace(), stack.database(), stack.postgres().port(), stack.bootstrapServers());
    }

    /** After an engine has started and taken one more row. */
    private static void assertEverythingIsThereOnce(Stack stack) throws Exception {
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.last')");
            stack.reader()
                    .await(
                            "the last row",
                            records -> records.stream()
                                    .anyMatch(record -> "a.last".equals(EngineFixture.header(record, "ce_type"))),
                            EngineFixture.PATIENCE,
                            fixture.topics.rawEvents());
        }
        assertThat(RowCounts.read(stack.reader().read(stack.namespace() + ".raw.events")))
                .isEqualTo(RowCounts.held(stack, "SELECT id, count(*) FROM tailrace.outbox GROUP BY id"));
        assertThat(RowCounts.read(stack.reader().read(stack.namespace() + ".raw.commands")))
                .isEqualTo(RowCounts.held(
                        stack,
                        "SELECT id, count(*) FROM tailrace.internal_command WHERE status = 'PENDING' GROUP BY id"));
    }

    private static long slots(Stack stack) throws SQLException {
        return RowCounts.held(
                        stack,
                        "SELECT 'slots', count(*) FROM pg_replication_slots WHERE slot_name = '" + slot(stack) + "'")
                .getOrDefault("slots", 0L);
    }

    private static List<ConsumerRecord<byte[], byte[]>> named(Stack stack, String topic, String name) {
        return stack.reader().read(stack.namespace() + "." + topic).stream()
                .filter(record -> name.equals(EngineFixture.header(record, "ce_type")))
                .sorted(java.util.Comparator.comparing(ConsumerRecord::timestamp))
                .toList();
    }

    /** What two rows that were written alike must have in common. */
    private static Map<String, @Nullable String> same(ConsumerRecord<byte[], byte[]> record) {
        Map<String, @Nullable String> headers = new HashMap<>(TopicReader.headers(record));
        Stream.of("ce_id", "ce_time", "tailrace-xid", "ce_partitionkey").forEach(headers::remove);
        return headers;
    }

    private static List<String> notes(Stack stack) {
        return stack.reader().read(stack.namespace() + ".operations").stream()
                .filter(record -> String.valueOf(TopicReader.text(record.key())).startsWith("engine-recover/"))
                .map(record -> String.valueOf(TopicReader.text(record.value())))
                .toList();
    }

    private static String slot(Stack stack) {
        return "tailrace_" + stack.namespace() + "_" + stack.database();
    }
}
