package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.operations.Replay.Newer;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.RowState;
import io.tailrace.router.lane.Standing;
import io.tailrace.router.store.LaneCodec;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a replay says of newer rows, on topics as engine and router leave them. */
@RealParts
class NewerRowsTest {

    private static final Order DRY = new Order("dry", "somebody", true);
    private static final Order STRICT = new Order("strict", "somebody", false, true);

    /** By offset in the raw topic. Dead are rows 0 and 2 of k, and row 5 of j. */
    private static final List<String> KEYS = List.of("k", "j", "k", "k", "k", "j", "z", "k", "k", "j");

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private DeadLetters deadLetters;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Admin admin;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void topics(Stack stack) {
        config = ParkedRows.config(stack.namespace(), stack.bootstrapServers(), "127.0.0.1", 1, "nowhere", 1);
        ParkedRows parked = new ParkedRows(config);
        deadLetters = new DeadLetters(config);
        admin = stack.admin();
        producer = new KafkaProducer<>(ClientSettings.producer(config.kafka()));
        for (int n = 0; n < KEYS.size(); n++) {
            raw("row-" + n, KEYS.get(n));
        }
        producer.flush();
        parked.parkRow(0, "k");
        parked.parkRow(2, "k");
        parked.parkRow(5, "j");
    }

    @AfterEach
    void close() {
        producer.close();
        admin.close();
    }

    @Test
    void whatTheRouterHasPassedAndIsNeitherDeadNorWaitingWasDelivered() throws Exception {
        assertThat(newer()).as("nothing was passed").isEqualTo(Map.of("row-0", "0", "row-2", "0", "row-5", "0"));
        passed(8);
        assertThat(newer()).as("3, 4 and 7 of k").isEqualTo(Map.of("row-0", "3", "row-2", "3", "row-5", "0"));
        passed(10);
        assertThat(newer()).isEqualTo(Map.of("row-0", "4", "row-2", "4", "row-5", "1"));

        admin.createTopics(List.of(new NewTopic(changelog(), 1, (short) 1)))
                .all()
                .get();
        waiting("k", 7, new byte[1]);
        waiting("k", 8, new byte[1]);
        waiting("k", 4, new byte[1]);
        waiting("k", 4, null);
        assertThat(newer())
                .as("7 and 8 wait, 4 does no more")
                .isEqualTo(Map.of("row-0", "2", "row-2", "2", "row-5", "1"));
    }

    @Test
    void aKeyThatStopsAtItsDeadLetterIsSkippedOnceAndWhoDidItIsKept(Stack stack) throws Exception {
        admin.createTopics(List.of(new NewTopic(changelog(), 1, (short) 1)))
                .all()
                .get();
        row("k", 2, RowState.HALTED);
        row("k", 3, RowState.WAITING);
        row("k", 4, RowState.WAITING);
        row("j", 5, RowState.WAITING);
        assertThat(deadLetters
                        .halts(deadLetters.list(Topics.EVENTS, Selection.ALL))
                        .byRow())
                .as("a dead row that waits again is on its way")
                .isEqualTo(Map.of("row-2", new Halt(2, true)));
        assertThat(texts(deadLetters.skip(Set.of("row-0", "row-2", "row-5", "row-99"), DRY)))
                .isEqualTo(Map.of(
                        "row-0", "not-halted: its key does not stop here",
                        "row-2", "would-skip: 2 newer rows go on",
                        "row-5", "not-halted: its key does not stop here"));
        assertThat(stack.reader().uncommitted().read(config.topicNames().retry(Topics.EVENTS)))
                .isEmpty();

        row("k", 0, RowState.WAITING);
        assertThat(texts(deadLetters.skip(Set.of("row-2"), DRY)))
                .isEqualTo(Map.of("row-2", "not-halted: another row of its key stands before it"));
        waiting("k", 0, null);
        Order order = new Order("s", "somebody", false).because("booked\nby hand");
        assertThat(texts(deadLetters.skip(Set.of("row-2"), order)))
                .isEqualTo(Map.of("row-2", "skipped: 2 newer rows go on"));
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL))
                .as("its letter stays")
                .hasSize(3);
        assertThat(stack.reader().read(config.topicNames().retry(Topics.EVENTS)))
                .singleElement()
                .satisfies(word -> assertThat(TopicReader.headers(word))
                        .containsEntry("tailrace-kind", "control")
                        .containsEntry("tailrace-control", "skip")
                        .containsEntry("tailrace-seq", "1:2")
                        .containsEntry("ce_partitionkey", "k"));
        assertThat(stack.reader().read(config.topicNames().operations()))
                .extracting(note -> TopicReader.text(note.value()))
                .containsExactly("skipped: of=events row=row-2 reason=no-route by=somebody why=booked by hand");
    }

    /** Each row at which a key stops has a letter; taken away from the second one, it must not stay there without one. */
    @Test
    void aDryDiscardSaysWhetherTheKeyGoesOn() throws Exception {
        admin.createTopics(List.of(new NewTopic(changelog(), 1, (short) 1)))
                .all()
                .get();
        row("k", 0, RowState.HALTED);
        row("k", 2, RowState.HALTED);
        row("k", 3, RowState.WAITING);
        row("k", 4, RowState.WAITING);
        assertThat(texts(deadLetters.discard(Topics.EVENTS, Set.of("row-0", "row-2", "row-5"), DRY)))
                .isEqualTo(Map.of(
                        "row-0", "would-clear: discarded, 2 newer rows go on",
                        "row-2", "would-clear: discarded, another row of its key stands before it",
                        "row-5", "would-clear: discarded"));
    }

    private void row(String key, int offset, RowState state) {
        Place place = new Place(1, offset);
        RawRecord record =
                new RawRecord(config.topicNames().rawEvents(), 0, offset, Bytes.utf8(key), null, Headers.empty());
        waiting(
                key,
                offset,
                LaneCodec.row(new LaneRow(place, new Standing(state, 0, 0, 1, 0, null), record))
                        .array());
    }

    private static Map<String, String> texts(Report report) {
        return report.rows().stream()
                .collect(Collectors.toMap(row -> row.letter().rowId(), Replay.Row::text));
    }

    @Test
    void aStrictReplayTakesOnlyWhatComesInTime() throws Exception {
        passed(9);
        Report report = deadLetters.replay(Topics.EVENTS, Selection.ALL, STRICT);
        assertThat(report.rows().stream()
                        .collect(Collectors.toMap(row -> row.letter().rowId(), Replay.Row::text)))
                .isEqualTo(Map.of(
                        "row-0", "newer-delivered: 4 newer rows of its key were delivered",
                        "row-2", "newer-delivered: 4 newer rows of its key were delivered",
                        "row-5", "replayed"));
        assertThat(report.isDone()).isFalse();
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL))
                .extracting(DeadLetter::rowId)
                .containsExactly("row-0", "row-2");
        Report asked = deadLetters.replay(Topics.EVENTS, Selection.ALL, new Order("r", "somebody", false));
        assertThat(asked.count(Outcome.REPLAYED)).isEqualTo(2);
        assertThat(asked.rows()).extracting(row -> row.newer().map(Newer::text)).containsOnly(Optional.of("4"));
    }

    @Test
    void whatTheRawTopicHasForgottenIsSaidAndRefusedByAStrictReplay() throws Exception {
        passed(10);
        TopicPartition raw = new TopicPartition(config.topicNames().rawEvents(), 0);
        admin.deleteRecords(Map.of(raw, RecordsToDelete.beforeOffset(10))).all().get();
        assertThat(newer()).isEqualTo(Map.of("row-0", "0+", "row-2", "0+", "row-5", "0+"));
        assertThat(deadLetters.replay(Topics.EVENTS, Selection.ALL, STRICT).count(Outcome.NEWER_DELIVERED))
                .isEqualTo(3);
    }

    private Map<String, String> newer() {
        return deadLetters.replay(Topics.EVENTS, Selection.ALL, DRY).rows().stream()
                .collect(Collectors.toMap(
                        row -> row.letter().rowId(),
                        row -> row.newer().map(Newer::text).orElse("?")));
    }

    private void raw(String id, String key) {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, id)
                .put(HeaderName.CE_TYPE, "sales.order-placed")
                .put(HeaderName.CE_SOURCE, config.ceSource())
                .put(HeaderName.CE_PARTITIONKEY, key)
                .put(HeaderName.KIND, "event")
                .put(HeaderName.SEQ, "1")
                .build();
        producer.send(new ProducerRecord<>(
                config.topicNames().rawEvents(), null, Bytes.utf8(key).array(), new byte[1], KafkaHeaders.to(headers)));
    }

    private void passed(long offset) throws Exception {
        TopicPartition raw = new TopicPartition(config.topicNames().rawEvents(), 0);
        admin.alterConsumerGroupOffsets(
                        config.namespace().routerApplicationId(), Map.of(raw, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private void waiting(String key, int offset, byte @org.jspecify.annotations.Nullable [] value) {
        LaneKey lane = LaneKey.of(Topics.EVENTS, config.ceSource(), key, "row-" + offset);
        producer.send(new ProducerRecord<>(
                changelog(), LaneCodec.parkedKey(lane, new Place(1, offset)).array(), value));
        producer.flush();
    }

    private String changelog() {
        return config.namespace().routerApplicationId() + "-parked-changelog";
    }
}
