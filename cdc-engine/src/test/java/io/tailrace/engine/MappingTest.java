package io.tailrace.engine;

import static io.tailrace.engine.EngineFixture.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a row says is what its raw record says, byte for byte, for rows of every kind. */
@RealParts
class MappingTest {

    private static final int MAX_BYTES = 1_048_576;
    private static final String HUGE = "x".repeat(1_100_000);

    @Test
    void everyColumnOfAnEventBecomesItsHeader(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            String id = UUID.randomUUID().toString();
            Instant before = Instant.now().minusSeconds(1);
            stack.execute("""
                    INSERT INTO tailrace.outbox (id, event_name, event_version, ordering_key, payload, content_type, headers,
                        tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
                    VALUES ('%s', 'sales.order-placed', 3, 'order/17', '{"b": 1, "a": 2}', 'application/vnd.shop+json',
                        '{"x-one": "1", "x-two": "zwei \\u00e4 😀"}', 'tenant', 'user', 'r1,r2', 'corr', 'cause', '00-trace')
                    """.formatted(id));
            ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), id);
            assertThat(TopicReader.text(record.key())).isEqualTo("order/17");
            assertThat(TopicReader.text(record.value())).isEqualTo("{\"b\": 1, \"a\": 2}");
            Map<String, @Nullable String> headers = new LinkedHashMap<>();
            record.headers()
                    .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
            String ceTime = String.valueOf(headers.remove("ce_time"));
            assertThat(Instant.parse(ceTime)).isBetween(before, Instant.now().plusSeconds(1));
            assertThat(String.valueOf(headers.remove("tailrace-xid"))).matches("[1-9][0-9]*");
            assertThat(headers.entrySet().stream().map(Map.Entry::toString).toList())
                    .containsExactly(
                            "ce_specversion=1.0",
                            "ce_id=" + id,
                            "ce_type=sales.order-placed",
                            "ce_source=" + stack.namespace() + "/" + stack.database(),
                            "ce_partitionkey=order/17",
                            "ce_eventversion=3",
                            "content-type=application/vnd.shop+json",
                            "ce_tenantid=tenant",
                            "ce_userid=user",
                            "ce_userroles=r1,r2",
                            "ce_correlationid=corr",
                            "ce_causationid=cause",
                            "traceparent=00-trace",
                            "x-one=1",
                            "x-two=zwei ä 😀",
                            "tailrace-kind=event",
                            "tailrace-seq=1",
                            "tailrace-payload=inline");
        }
    }

    @Test
    void aPayloadComesOutAsItWentIn(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
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
                "{\"k\":1,\"k\":2, \"k\" : 3}",
                "\"😀 ü\"",
                "\"\\ud800 \\u0000\"",
                "{\"keep\" :  \"white   space\" ,\n\t\"and\":[ 1.00 , 1E3 ]}",
                "[".repeat(1000) + "]".repeat(1000)));
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            Map<String, @Nullable String> written = new LinkedHashMap<>();
            for (String payload : payloads) {
                written.put(insertPayload(connection, payload), payload);
            }
            for (Map.Entry<String, @Nullable String> row : written.entrySet()) {
                ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), row.getKey());
                assertThat(TopicReader.text(record.value())).isEqualTo(row.getValue());
                assertThat(TopicReader.text(record.key()))
                        .as("a row without ordering key is keyed by its id")
                        .isEqualTo(row.getKey());
                assertThat(TopicReader.headers(record))
                        .containsEntry("tailrace-payload", row.getValue() == null ? "null" : "inline")
                        .doesNotContainKeys("ce_partitionkey", "tailrace-reason", "ce_eventversion")
                        .containsEntry("ce_type", "a.b");
                assertThat(header(record, "content-type"))
                        .isEqualTo(row.getValue() == null ? "null" : "application/json");
            }
        }
    }

    @Test
    void binaryPayloadsNamesAndInstantsOfEveryKind(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Map<String, String> runAts = new LinkedHashMap<>();
        runAts.put("1970-01-01 00:00:01.000001+00", "1001");
        runAts.put("2001-02-03 04:05:06.789+05:30", "981153306789");
        runAts.put("infinity", Long.toString(Long.MAX_VALUE));
        runAts.put("-infinity", "0");
        runAts.put("10000-01-01 00:00:00+00", "253402300800000");
        runAts.put("0044-03-15 12:00:00+00 BC", "0");
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            String binary = insert(
                    connection,
                    "INSERT INTO tailrace.outbox (id, event_name, payload_binary) VALUES (?::uuid, 'A/$1 😀', decode(?, 'hex'))",
                    HexFormat.of().formatHex(bytes));
            ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), binary);
            assertThat(record.value()).isEqualTo(bytes);
            assertThat(header(record, "content-type")).isEqualTo("application/octet-stream");
            assertThat(header(record, "ce_type"))
                    .as("names are the router's to judge")
                    .isEqualTo("A/$1 😀");
            Map<String, String> ids = new LinkedHashMap<>();
            for (Map.Entry<String, String> runAt : runAts.entrySet()) {
                ids.put(
                        insert(
                                connection,
                                "INSERT INTO tailrace.internal_command (id, command_name, run_at) VALUES (?::uuid, 'bill', ?::timestamptz)",
                                runAt.getKey()),
                        runAt.getValue());
            }
            for (Map.Entry<String, String> command : ids.entrySet()) {
                ConsumerRecord<byte[], byte[]> raw = fixture.record(fixture.topics.rawCommands(), command.getKey());
                assertThat(header(raw, "tailrace-not-before")).isEqualTo(command.getValue());
                assertThat(header(raw, "tailrace-kind")).isEqualTo("command");
                assertThat(header(raw, "tailrace-reason")).isEqualTo("null");
            }
        }
    }

    @Test
    void whatCannotBeMappedStillGoesOutWithItsReason(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        Map<String, String> problems = new LinkedHashMap<>();
        problems.put("[]", "headers are not a JSON object");
        problems.put("{\"good\":\"g\",\"n\":1}", "header 'n' is not a text");
        problems.put("{\"good\":\"g\",\"o\":{\"x\":[1]},\"n\":null}", "header 'o' is not a text");
        problems.put("{\"CE_id\":\"forged\",\"good\":\"g\"}", "header name 'CE_id' is reserved");
        problems.put("{\"Tailrace-turn\":\"9\",\"good\":\"g\"}", "header name 'Tailrace-turn' is reserved");
        problems.put("{\"good\":\"g\",\"good\":\"h\"}", "header 'good' is given twice");
        problems.put("{\"good\":\"g\",\"\":\"h\"}", "a header has no name");
        problems.put("{\"good\":\"g\",\"half\":\"\\ud800\"}", "header 'half' is not well-formed text");
        problems.put("{\"big\":\"" + "x".repeat(17_000) + "\"}", "headers take more than 16384 bytes");
        problems.put("{\"deep\":" + "[".repeat(1500) + "]".repeat(1500) + "}", "headers cannot be read");
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            Map<String, Map.Entry<String, String>> ids = new LinkedHashMap<>();
            for (Map.Entry<String, String> problem : problems.entrySet()) {
                ids.put(
                        insert(
                                connection,
                                "INSERT INTO tailrace.outbox (id, event_name, payload, headers) VALUES (?::uuid, 'a.b', '1', ?::json)",
                                problem.getKey()),
                        problem);
            }
            ids.forEach((id, problem) -> {
                ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), id);
                assertThat(header(record, "tailrace-reason")).isEqualTo("malformed");
                assertThat(header(record, "tailrace-error-message")).startsWith(problem.getValue());
                assertThat(TopicReader.text(record.value())).isEqualTo("1");
                boolean good = problem.getKey().contains("good");
                assertThat(header(record, "good")).isEqualTo(good ? "g" : "null");
                assertThat(record.headers().headers("ce_id")).hasSize(1);
            });
        }
    }

    @Test
    void aRowTooLargeForKafkaGoesOutWithoutItsPayload(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            List<String> omitted = new ArrayList<>();
            // The payload alone would fit into the first of them.
            for (int bytes : new int[] {MAX_BYTES - 100, MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1, 20_000_000}) {
                omitted.add(insertPayload(connection, ofBytes(bytes)));
            }
            String largeName = insert(
                    connection,
                    "INSERT INTO tailrace.outbox (id, ordering_key, event_name, payload) VALUES (?::uuid, 'k', ?, '1')",
                    HUGE);
            String after = insertPayload(connection, "2");
            for (String row : omitted) {
                ConsumerRecord<byte[], byte[]> record = fixture.record(fixture.topics.rawEvents(), row);
                assertThat(record.value()).isNull();
                assertThat(TopicReader.text(record.key())).isEqualTo(row);
                assertThat(TopicReader.headers(record))
                        .containsEntry("tailrace-payload", "omitted")
                        .containsEntry("tailrace-reason", "too-large")
                        .containsEntry("content-type", "application/json")
                        .containsEntry("ce_type", "a.b");
            }
            ConsumerRecord<byte[], byte[]> bare = fixture.record(fixture.topics.rawEvents(), largeName);
            assertThat(TopicReader.text(bare.key())).isEqualTo(largeName);
            assertThat(header(bare, "ce_type")).hasSize(1024);
            assertThat(TopicReader.headers(bare))
                    .containsEntry("tailrace-reason", "too-large")
                    .doesNotContainKey("content-type");
            assertThat(TopicReader.text(
                            fixture.record(fixture.topics.rawEvents(), after).value()))
                    .isEqualTo("2");
            assertThat(fixture.registry
                            .get("tailrace.engine.payloads.omitted")
                            .counter()
                            .count())
                    .isEqualTo(omitted.size() + 1);
        }
    }

    @Test
    void theLastByteDecidesWhetherARowGoesOutWhole(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            ConsumerRecord<byte[], byte[]> tooLarge =
                    fixture.record(fixture.topics.rawEvents(), insertPayload(connection, ofBytes(MAX_BYTES)));
            Matcher said = Pattern.compile("takes (\\d+) bytes").matcher(header(tooLarge, "tailrace-error-message"));
            assertThat(said.find()).isTrue();
            int rest = Integer.parseInt(said.group(1)) - MAX_BYTES;
            String fits = insertPayload(connection, ofBytes(MAX_BYTES - rest));
            String doesNot = insertPayload(connection, ofBytes(MAX_BYTES - rest + 1));
            assertThat(fixture.record(fixture.topics.rawEvents(), fits).value()).hasSize(MAX_BYTES - rest);
            assertThat(fixture.record(fixture.topics.rawEvents(), doesNot).value())
                    .isNull();
        }
    }

    @Test
    void anActOnACommandFollowsItsInsert(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect()) {
            String id = insert(
                    connection,
                    "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, run_at) VALUES (?::uuid, 'bill', ?, 'infinity')",
                    "customer-1");
            stack.execute(
                    "SELECT pg_logical_emit_message(true, 'tailrace.control', 'not json')",
                    "SELECT pg_logical_emit_message(false, 'tailrace.control', '{\"act\":\"cancel\",\"id\":\"x\"}')",
                    "SELECT pg_logical_emit_message(true, 'other', 'of somebody else')",
                    "SELECT tailrace.reschedule_command('" + id + "', '2031-01-01 00:00:00+00')",
                    "BEGIN; SELECT tailrace.cancel_command('" + id + "'); ROLLBACK",
                    "SELECT tailrace.cancel_command('" + id + "')");
            List<ConsumerRecord<byte[], byte[]>> records =
                    stack.reader().awaitCount(3, EngineFixture.PATIENCE, fixture.topics.rawCommands());
            assertThat(records)
                    .extracting(record -> header(record, "tailrace-kind"))
                    .containsExactly("command", "control", "control");
            assertThat(records).allSatisfy(record -> {
                assertThat(TopicReader.text(record.key())).isEqualTo("customer-1");
                assertThat(header(record, "ce_id")).isEqualTo(id);
                assertThat(header(record, "ce_type")).isEqualTo("bill");
            });
            assertThat(TopicReader.headers(records.get(1)))
                    .containsEntry("tailrace-control", "reschedule")
                    .containsEntry("tailrace-not-before", "1924992000000")
                    .containsEntry("tailrace-turn", "0")
                    .doesNotContainKey("tailrace-place");
            assertThat(header(records.get(2), "tailrace-control")).isEqualTo("cancel");
            assertThat(records.get(2).value()).isNull();
        }
    }

    /** A JSON text of so many bytes. */
    private static String ofBytes(int bytes) {
        return '"' + "x".repeat(bytes - 2) + '"';
    }

    private static String insertPayload(Connection connection, @Nullable String payload) throws SQLException {
        return insert(
                connection,
                "INSERT INTO tailrace.outbox (id, event_name, payload) VALUES (?::uuid, 'a.b', ?::json)",
                payload);
    }

    private static String insert(Connection connection, String sql, @Nullable String value) throws SQLException {
        String id = UUID.randomUUID().toString();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, id);
            statement.setString(2, value);
            statement.executeUpdate();
        }
        return id;
    }
}
