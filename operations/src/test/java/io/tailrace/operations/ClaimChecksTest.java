package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A letter without its payload is a claim on the row's. */
@RealParts
class ClaimChecksTest {

    private static final Order DRY = new Order("dry", "somebody", true);
    private static final Order ORDER = new Order("real", "somebody", false);
    private static final int LARGE = 3_000_000;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private ParkedRows parked;

    @BeforeEach
    void tables(Stack stack) throws SQLException {
        this.stack = stack;
        config = Tables.on(stack).config;
        parked = new ParkedRows(config);
    }

    @Test
    void whatDoesNotFitYetSaysWhatToRaiseAndThenGoesOutOnceWithThePayloadOfItsRow() throws Exception {
        row(1, "payload", "('{ \"n\" :  ' || repeat('7', %d) || '}')::json".formatted(LARGE));
        row(2, "payload_binary", "'\\x00ff'");
        parked.parkTooLarge(id(1), false);
        parked.parkTooLarge(id(2), false);

        Report refused = deadLetters(config).replay(Topics.EVENTS, Selection.ALL, DRY);
        assertThat(text(refused, 1))
                .startsWith("still-too-large: it takes 3000")
                .contains("topics.max-message-bytes is 1048576: raise that");
        assertThat(text(refused, 2)).isEqualTo("would-replay");

        TailraceConfig raised = raised(4 << 20);
        assertThat(text(deadLetters(raised).replay(Topics.EVENTS, Selection.ALL, DRY), 1))
                .as("its topics do not take it yet")
                .startsWith("still-too-large: ")
                .contains("kafka-configs.sh")
                .contains(config.topicNames().retry(Topics.EVENTS))
                .contains(config.topicNames().deadLetters(Topics.EVENTS));
        Report early = deadLetters(raised).replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(early.count(Outcome.REPLAYED)).isZero();
        assertThat(early.isDone()).isFalse();
        assertThat(retried()).isEmpty();
        assertThat(deadLetters(config).list(Topics.EVENTS, Selection.ALL)).hasSize(2);

        raise(raised.topics().maxCarriedBytes());
        Report report = deadLetters(raised).replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(report.count(Outcome.REPLAYED)).isEqualTo(2);
        assertThat(deadLetters(raised)
                        .replay(Topics.EVENTS, Selection.ALL, ORDER)
                        .rows())
                .as("a second one finds nothing")
                .isEmpty();
        assertThat(retried())
                .hasSize(2)
                .allSatisfy(record -> assertThat(TopicReader.headers(record))
                        .containsEntry("tailrace-payload", "inline")
                        .containsEntry("tailrace-kind", "replay")
                        .containsEntry("tailrace-reason", "too-large")
                        .containsEntry("tailrace-seq", "1:0")
                        .containsEntry("colour", "blue")
                        .doesNotContainKey("tailrace-stage"));
        ConsumerRecord<byte[], byte[]> json = retried().stream()
                .filter(record -> id(1).equals(TopicReader.header(record, "ce_id")))
                .findFirst()
                .orElseThrow();
        assertThat(TopicReader.text(json.value())).isEqualTo("{ \"n\" :  " + "7".repeat(LARGE) + "}");
        assertThat(retried()).anyMatch(record -> record.value() != null && record.value().length == 2);
    }

    @Test
    void whatTheTableCannotGiveStaysADeadLetterWithTheReason() throws Exception {
        row(2, "payload", "'1'");
        row(2, "payload", "'2'");
        row(3, "payload", "'3'");
        parked.parkTooLarge(id(1), false);
        parked.parkTooLarge(id(2), false);
        parked.parkTooLarge(id(3), true);
        Report report = deadLetters(config).replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(text(report, 1)).startsWith("payload-omitted: it has no row in the outbox");
        assertThat(text(report, 2)).startsWith("payload-omitted: 2 rows of the outbox have this id");
        assertThat(text(report, 3)).startsWith("payload-omitted: even its name and headers did not fit");
        assertThat(retried()).isEmpty();
        assertThat(deadLetters(config).list(Topics.EVENTS, Selection.ALL)).hasSize(3);
    }

    @Test
    void aRowThatHasGrownSinceTheLookIsNotTakenAndCountsInMemoryWithItsPayload() throws Exception {
        row(1, "payload", "'1'");
        parked.parkTooLarge(id(1), false);
        List<DeadLetter> letters = deadLetters(config).list(Topics.EVENTS, Selection.ALL);
        DeadLetter letter = letters.get(0);
        ClaimChecks checks = new ClaimChecks(config);
        checks.look(letters);
        assertThat(checks.redeemed(letter)).isPresent();
        stack.execute("UPDATE tailrace.outbox SET payload = to_json(repeat('x', %d))".formatted(LARGE));
        assertThat(checks.redeemed(letter)).isEmpty();
        checks.look(letters);
        assertThat(checks.weight(letter)).isGreaterThan(LARGE);
    }

    @Test
    void aDatabaseThatIsDownHoldsUpOnlyWhatNeedsIt() {
        parked.parkTooLarge(id(1), false);
        parked.parkEvents(2, 1);
        SourceConfig source = config.source();
        TailraceConfig unreachable = with(
                new SourceConfig(
                        source.host(),
                        1,
                        source.database(),
                        source.user(),
                        source.password(),
                        "disable",
                        source.tables()),
                config.topics());
        Report report = deadLetters(unreachable).replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(text(report, 1)).startsWith("payload-omitted: looking at \"tailrace\".\"outbox\" in ");
        assertThat(report.count(Outcome.REPLAYED)).isEqualTo(2);
    }

    @Test
    void aLetterOfARowWithSecretsIsReplayedFromTheRowOrFromTheRawTopicBitForBit() throws Exception {
        String json = "{ \"card\" :  \"4711\",\"n\":1e2 }";
        stack.execute(
                "INSERT INTO tailrace.outbox (id, event_name, payload, headers) VALUES ('%s', 'sales.order-placed', '%s', '%s')"
                        .formatted(id(1), json, "{\"token\":\"t-0815\"}"));
        parked.parkReference(id(1), "omitted", 0, 0);
        // Written as a message, or cleaned up: only the raw topic has it still.
        parked.capture(id(2), json, "t-0816");
        parked.parkReference(id(2), "omitted", 0, 0);
        // Its secret is in a header alone.
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, headers) VALUES ('%s', 'sales.order-placed', '%s')"
                .formatted(id(3), "{\"token\":\"t-0817\"}"));
        parked.parkReference(id(3), "null", 0, 0);
        parked.parkReference(id(4), "omitted", 0, 77);

        Report report = deadLetters(config).replay(Topics.EVENTS, Selection.ALL, ORDER);

        assertThat(text(report, 1)).isEqualTo("replayed");
        assertThat(text(report, 2)).isEqualTo("replayed");
        assertThat(text(report, 3)).isEqualTo("replayed");
        assertThat(text(report, 4)).startsWith("payload-omitted: it has no row in the outbox");
        assertThat(retried())
                .extracting(
                        record -> TopicReader.header(record, "ce_id"),
                        record -> record.value() == null ? "none" : TopicReader.text(record.value()),
                        record -> TopicReader.header(record, "token"),
                        record -> TopicReader.header(record, "tailrace-payload"))
                .containsExactlyInAnyOrder(
                        tuple(id(1), json, "t-0815", "inline"),
                        tuple(id(2), json, "t-0816", "inline"),
                        tuple(id(3), "none", "t-0817", "null"));
    }

    private void row(int n, String column, String payload) throws SQLException {
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, %s) VALUES ('%s', 'sales.order-placed', %s)"
                .formatted(column, id(n), payload));
    }

    private TailraceConfig raised(int maxMessageBytes) {
        TopicsConfig topics = config.topics();
        return with(
                config.source(),
                new TopicsConfig(
                        topics.partitions(),
                        topics.replication(),
                        topics.minInsyncReplicas(),
                        topics.autoCreate(),
                        maxMessageBytes,
                        topics.rawRetention()));
    }

    private TailraceConfig with(SourceConfig source, TopicsConfig topics) {
        return new TailraceConfig(
                config.namespace(),
                source,
                config.kafka(),
                topics,
                config.engine(),
                config.router(),
                config.executor(),
                config.http());
    }

    private void raise(int bytes) throws Exception {
        ConfigEntry entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        try (Admin admin = stack.admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            topic(config.topicNames().retry(Topics.EVENTS)),
                            List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET)),
                            topic(config.topicNames().deadLetters(Topics.EVENTS)),
                            List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    private static ConfigResource topic(String name) {
        return new ConfigResource(ConfigResource.Type.TOPIC, name);
    }

    private static DeadLetters deadLetters(TailraceConfig config) {
        return new DeadLetters(config);
    }

    private List<ConsumerRecord<byte[], byte[]>> retried() {
        return stack.reader().read(config.topicNames().retry(Topics.EVENTS));
    }

    private static String text(Report report, int n) {
        return report.rows().stream()
                .filter(row -> row.letter().rowId().equals(id(n)))
                .map(Replay.Row::text)
                .findFirst()
                .orElse("not reported");
    }

    private static String id(int n) {
        return "0190b7a0-0000-7000-8000-00000000000" + n;
    }
}
