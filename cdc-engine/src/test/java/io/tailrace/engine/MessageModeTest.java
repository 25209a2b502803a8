package io.tailrace.engine;

import static io.tailrace.engine.EngineFixture.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.client.Event;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.Health;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

/** An event that is a message becomes what the same event would have become as a row, and nothing that is written by hand stops it. */
@RealParts
class MessageModeTest {

    private static final Origin ORIGIN = new Origin("tenänt", "user", "r1,r2", "corr", "cause", "00-trace");

    private static final TailraceClient ROWS =
            TailraceClient.builder().origin(() -> ORIGIN).build();

    private static final TailraceClient MESSAGES = TailraceClient.builder()
            .outboxMode(OutboxMode.MESSAGE)
            .origin(() -> ORIGIN)
            .build();

    private static final TailraceClient NAMELESS =
            TailraceClient.builder().outboxMode(OutboxMode.MESSAGE).build();

    @Test
    void rowsAndMessagesMakeTheSameRecords(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        List<Event> events = events();
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            for (Event event : events) {
                ROWS.outbox().publish(connection, event);
                MESSAGES.outbox().publish(connection, event);
            }
            Event bare = Event.of("a.b").id(UUID.randomUUID());
            TailraceClient.create().outbox().publish(connection, bare);
            NAMELESS.outbox().publish(connection, bare);
            connection.commit();
            int pairs = events.size() + 1;
            List<ConsumerRecord<byte[], byte[]>> records =
                    stack.reader().awaitCount(2 * pairs, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            Map<String, List<ConsumerRecord<byte[], byte[]>>> byId = new LinkedHashMap<>();
            records.forEach(record -> byId.computeIfAbsent(header(record, "ce_id"), id -> new ArrayList<>())
                    .add(record));
            assertThat(byId).hasSize(pairs);
            byId.forEach((id, both) -> {
                assertThat(both).hasSize(2);
                assertThat(all(both.get(1))).isEqualTo(all(both.get(0)));
                assertThat(both.get(1).key()).isEqualTo(both.get(0).key());
                assertThat(both.get(1).value()).isEqualTo(both.get(0).value());
                assertThat(header(both.get(1), "tailrace-reason")).isEqualTo("null");
            });
            assertThat(rows(connection)).as("messages leave no rows").isEqualTo(pairs);
        }
    }

    @Test
    void whatIsRolledBackWasNeverSent(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect();
                Connection other = stack.connect()) {
            connection.setAutoCommit(false);
            other.setAutoCommit(false);
            emit(connection, "k", "1");
            emit(other, "k", "\"never\"");
            Savepoint savepoint = connection.setSavepoint();
            emit(connection, "k", "\"never\"");
            connection.rollback(savepoint);
            emit(connection, "k", "2");
            // Of both kinds in turn, each at the place where it was written.
            stack.execute("INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES ('a.b', 'k', '0')");
            savepoint = connection.setSavepoint();
            ROWS.outbox().publish(connection, Event.of("a.b").key("k").json("3"));
            emit(connection, "k", "4");
            connection.releaseSavepoint(savepoint);
            ROWS.outbox().publish(connection, Event.of("a.b").key("k").json("5"));
            other.rollback();
            connection.commit();
            emit(other, "k", "6");
            other.createStatement().execute("PREPARE TRANSACTION 'mode-1'");
            emit(connection, "k", "7");
            emit(connection, "k", "\"never\"");
            connection.createStatement().execute("PREPARE TRANSACTION 'mode-2'");
            stack.execute("ROLLBACK PREPARED 'mode-2'");
            stack.execute("SELECT tailrace.emit('a.b', 'k', '7')");
            stack.execute("COMMIT PREPARED 'mode-1'");
            stack.execute("SELECT tailrace.emit('a.b', 'k', '8')");
            assertThat(stack.reader().awaitCount(9, EngineFixture.PATIENCE, fixture.topics.rawEvents()))
                    .extracting(record -> TopicReader.text(record.value()))
                    .containsExactly("0", "1", "2", "3", "4", "5", "7", "6", "8");
        }
    }

    @Test
    void oddPayloadsComeOutToTheByte(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        List<String> payloads = List.of(
                "null",
                "{}",
                "[]",
                "\"\"",
                "{\"a\":null}",
                "12345678901234567890",
                "1e400",
                "{\"k\":1,\"k\":2, \"k\" : 3}",
                "\"😀 ü\"",
                "\"\\ud800 \\u0000\"",
                "{\"keep\" :  \"white   space\" ,\n\t\"and\":[ 1.00 , 1E3 ]}",
                "[".repeat(1000) + "]".repeat(1000));
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            for (String payload : payloads) {
                UUID id = NAMELESS.outbox()
                        .publish(connection, Event.of("a.b").json(payload).standingAlone());
                ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), id.toString());
                assertThat(TopicReader.text(record.value())).isEqualTo(payload);
                assertThat(header(record, "tailrace-payload")).isEqualTo("inline");
                assertThat(TopicReader.text(record.key())).isEqualTo(id.toString());
            }
            UUID binary = NAMELESS.outbox()
                    .publish(connection, Event.of("a.b").binary(bytes, "x/y").standingAlone());
            assertThat(fixture.record(fixture.topics.rawEvents(), binary.toString())
                            .value())
                    .isEqualTo(bytes);
            UUID none = NAMELESS.outbox().publish(connection, Event.of("a.b").standingAlone());
            ConsumerRecord<byte[], byte[]> empty = fixture.record(fixture.topics.rawEvents(), none.toString());
            assertThat(empty.value()).isNull();
            assertThat(header(empty, "tailrace-payload")).isEqualTo("null");
        }
    }

    @Test
    void whatIsWrittenByHandIsADeadLetterAndNeverAStall(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String id = "0198c0de-0000-7000-8000-000000000001";
        Map<String, String> contents = new LinkedHashMap<>();
        contents.put("", "the message cannot be read: it does not begin with 'v'");
        contents.put("{\"id\": 1}", "the message cannot be read: it does not begin with 'v'");
        contents.put("v ", "the message cannot be read: no version");
        contents.put("v2 8,1;tailracex", "the message cannot be read: it has version 2, this release reads 1");
        contents.put("v1 8,x", "the message cannot be read: length 2 is neither");
        contents.put("v1 8,36", "the message cannot be read: no ';'");
        contents.put("v1 -;", "the message cannot be read: it names no schema");
        contents.put("v1 99999;tailrace", "the message cannot be read: it names no schema");
        contents.put("v1 8;tailrace", "the message cannot be read: it lists 1 lengths");
        contents.put("v1 8" + ",1".repeat(80), "the message cannot be read: it lists more than 64 lengths");
        contents.put(content(id, "a.b") + "more", "the message cannot be read: its lengths make ");
        contents.put(content("no-id", "a.b"), "id is no UUID");
        contents.put(content(id, "-"), "event_name is missing");
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            stack.execute(
                    "SELECT pg_logical_emit_message(false, 'tailrace.outbox', 'outside of a transaction')",
                    "SELECT pg_logical_emit_message(true, 'tailrace.outbox.not', 'of somebody else')",
                    "SELECT pg_logical_emit_message(true, 'tailrace.outbox', 'v1 5,36;other" + id + "')",
                    "SELECT pg_logical_emit_message(true, 'tailrace.outbox', 'v7 5,36;other" + id + "')");
            for (String content : contents.keySet()) {
                byHand(connection, content.getBytes(StandardCharsets.UTF_8));
            }
            byte[] notText = content(id, "a.b").getBytes(StandardCharsets.UTF_8);
            notText[notText.length - 1] = (byte) 0xff;
            byHand(connection, notText);
            stack.execute("SELECT tailrace.emit('a.b', payload => '1')");
            List<ConsumerRecord<byte[], byte[]>> records =
                    stack.reader().awaitCount(contents.size() + 2, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            assertThat(records).hasSize(contents.size() + 2);
            List<String> problems = new ArrayList<>(contents.values());
            problems.add("event_name is not UTF-8");
            for (String problem : problems) {
                List<ConsumerRecord<byte[], byte[]>> dead = records.stream()
                        .filter(record ->
                                header(record, "tailrace-error-message").startsWith(problem))
                        .toList();
                assertThat(dead).as(problem).isNotEmpty().allSatisfy(record -> {
                    assertThat(header(record, "tailrace-reason")).isEqualTo("malformed");
                    assertThat(header(record, "tailrace-kind")).isEqualTo("event");
                    assertThat(UUID.fromString(header(record, "ce_id"))).isNotNull();
                });
            }
            assertThat(records.stream().map(record -> header(record, "ce_id")).filter(one -> !one.equals(id)))
                    .doesNotHaveDuplicates();
            assertThat(records.stream()
                            .filter(record -> header(record, "tailrace-reason").equals("null")))
                    .as("the last one, which is in order")
                    .hasSize(1);
            assertThat(records.stream().map(record -> TopicReader.text(record.value())))
                    .as("what cannot be read is shown as it is")
                    .contains("{\"id\": 1}", "v1 8;tailrace");
            fixture.awaitState(Health.State.READY);
        }
    }

    @Test
    void aMessageTooLargeIsRefusedAtTheDoorOrGoesOutWithoutItsPayload(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            // The largest one that the function lets through still fits a topic of 1 MiB.
            String key = "😀".repeat(512);
            Event event =
                    Event.of("a.b").key(key).header("h", "x".repeat(16_000)).standingAlone();
            int head = 16_000 + 4 * 512 + 200;
            UUID fits = NAMELESS.outbox().publish(connection, event.json("\"" + "x".repeat(983_040 - head) + "\""));
            assertThat(header(fixture.record(fixture.topics.rawEvents(), fits.toString()), "tailrace-payload"))
                    .isEqualTo("inline");
            assertThat(stateOf(() ->
                            NAMELESS.outbox().publish(connection, event.json("\"" + "x".repeat(983_040) + "\""))))
                    .isEqualTo("54000");
            stack.execute("ALTER DATABASE " + stack.database() + " SET tailrace.max_message_bytes = 3000000");
        }
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            UUID large = NAMELESS.outbox()
                    .publish(
                            connection,
                            Event.of("a.b")
                                    .json("\"" + "x".repeat(1_100_000) + "\"")
                                    .standingAlone());
            ConsumerRecord<byte[], byte[]> omitted = fixture.record(fixture.topics.rawEvents(), large.toString());
            assertThat(omitted.value()).isNull();
            assertThat(header(omitted, "tailrace-payload")).isEqualTo("omitted");
            assertThat(header(omitted, "tailrace-reason")).isEqualTo("too-large");
        }
    }

    @Test
    void allIntegersAreVersions(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = messageMode(stack)) {
            for (int version : new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE}) {
                String id = EngineFixture.query(
                        stack, "SELECT tailrace.emit('a.b', event_version => %d)::text".formatted(version));
                ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), id);
                assertThat(header(record, "ce_eventversion")).isEqualTo(Integer.toString(version));
                assertThat(header(record, "tailrace-reason")).isEqualTo("null");
            }
        }
    }

    @Test
    void anEngineHearsTheMessagesOfItsOwnSchemaOnly(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        TableNames other = new TableNames("Schéma \"ß\" 'q' \\", "outbox", "internal_command");
        try (Connection connection = stack.connect()) {
            Schema.migrate(connection, other, Scope.ALL, Ownership.of(new Namespace("other"), stack.database()));
        }
        TailraceClient elsewhere = TailraceClient.builder()
                .tables(other)
                .outboxMode(OutboxMode.MESSAGE)
                .build();
        try (EngineFixture fixture = messageMode(stack);
                Connection connection = stack.connect()) {
            elsewhere
                    .outbox()
                    .publish(connection, Event.of("a.theirs").json("1").standingAlone());
            NAMELESS.outbox().publish(connection, Event.of("a.ours").json("2").standingAlone());
            assertThat(stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents()))
                    .extracting(record -> header(record, "ce_type"))
                    .containsExactly("a.ours");
        } finally {
            stack.execute("SELECT pg_drop_replication_slot('" + new Namespace("other").slot(stack.database()) + "')");
        }
    }

    @Test
    void inTableModeMessagesAreCarriedToo(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 6; i++) {
                (i % 2 == 0 ? ROWS : MESSAGES)
                        .outbox()
                        .publish(connection, Event.of("a.b").key("k").json(Integer.toString(i)));
            }
            connection.commit();
            assertThat(stack.reader().awaitCount(6, EngineFixture.PATIENCE, fixture.topics.rawEvents()))
                    .extracting(record -> TopicReader.text(record.value()))
                    .containsExactly("0", "1", "2", "3", "4", "5");
        }
    }

    private static EngineFixture messageMode(Stack stack) {
        return new EngineFixture(stack, OutboxMode.MESSAGE).started();
    }

    private static List<Event> events() {
        byte[] bytes = HexFormat.of().parseHex("00ff80c3280a");
        return List.of(
                Event.of("sales.order-placed").json("{\"b\": 1, \"a\": 2}").id(UUID.randomUUID()),
                Event.of("sales.order-placed.v3")
                        .version(3)
                        .key("order/17 ä😀")
                        .json(" [1 ,2]\n")
                        .contentType("application/vnd.shop+json")
                        .header("x-one", "1")
                        .header("x-two", "zwei ä 😀 \" \\ \n")
                        .header("empty", "")
                        .id(UUID.randomUUID()),
                Event.of("a.b").key("").binary(bytes, "a/b").id(UUID.randomUUID()),
                Event.of("a.b").key("k").binary(new byte[0], "a/b").id(UUID.randomUUID()),
                Event.of("a.b").key("k").json("null").id(UUID.randomUUID()),
                Event.of("a.b").key("k").id(UUID.randomUUID()));
    }

    private static void emit(Connection connection, String key, String payload) throws SQLException {
        NAMELESS.outbox().publish(connection, Event.of("a.b").key(key).json(payload));
    }

    /** Names, values and order of all headers. */
    private static List<String> all(ConsumerRecord<byte[], byte[]> record) {
        List<String> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(header.key() + "=" + HexFormat.of().formatHex(header.value()));
        }
        return headers;
    }

    /** A message of this id and name, {@code -} for none, written by hand. */
    private static String content(String id, String name) {
        boolean named = !name.equals("-");
        return "v1 8," + id.length() + "," + (named ? name.length() : "-") + ",-".repeat(12) + ";tailrace" + id
                + (named ? name : "");
    }

    private static void byHand(Connection connection, byte[] content) throws SQLException {
        try (var statement =
                connection.prepareStatement("SELECT pg_logical_emit_message(true, 'tailrace.outbox', ?::bytea)")) {
            statement.setBytes(1, content);
            statement.executeQuery().close();
        }
    }

    private static int rows(Connection connection) throws SQLException {
        try (var row = connection.createStatement().executeQuery("SELECT count(*) FROM tailrace.outbox")) {
            row.next();
            return row.getInt(1);
        }
    }

    private interface Act {
        void run() throws SQLException;
    }

    private static String stateOf(Act act) {
        try {
            act.run();
            return "done";
        } catch (SQLException refused) {
            return String.valueOf(refused.getSQLState());
        }
    }
}
