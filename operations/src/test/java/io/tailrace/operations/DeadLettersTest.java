package io.tailrace.operations;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RealParts
class DeadLettersTest {

    private static final Order ORDER = new Order("replay-1", "somebody", false);
    private static final Duration SOON = Duration.ofSeconds(30);

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private ParkedRows parked;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private DeadLetters deadLetters;

    @BeforeEach
    void topics(Stack stack) {
        this.stack = stack;
        config = ParkedRows.config(stack.namespace(), stack.bootstrapServers(), "127.0.0.1", 1, "nowhere");
        parked = new ParkedRows(config);
        deadLetters = new DeadLetters(config);
    }

    @Test
    void aSelectionTakesWhatFitsAllThatIsSaid() {
        parked.parkEvents(20, 4);
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL)).hasSize(20);
        assertThat(ids(select(Set.of("row-3", "row-7", "row-9"), "no-route", "sales.*", "key-3", 10)))
                .containsExactly("row-3", "row-7");
        assertThat(ids(select(Set.of(), "no-route", "sales.order-placed", "key-1", 2)))
                .containsExactly("row-1", "row-5");
        assertThat(select(Set.of(), "malformed", "sales.*", "key-1", 2)).isEmpty();
        assertThat(select(Set.of(), "no-route", "sale.*", "key-1", 2)).isEmpty();
        assertThat(deadLetters.find(Topics.EVENTS, "row-3")).get().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo("no-route");
            assertThat(letter.orderingKey()).contains("key-3");
            assertThat(letter.attempts()).isEqualTo(2);
        });
        assertThat(deadLetters.find(Topics.EVENTS, "row-99")).isEmpty();
    }

    @Test
    void pagesHoldNoPayloadAndGoOnBehindALetterThatHasGone() {
        parked.parkEvents(7, 2);
        List<String> inOrder = ids(deadLetters.list(Topics.EVENTS, Selection.ALL));
        DeadLetters.Page first = deadLetters.page(Topics.EVENTS, Selection.ALL, Optional.empty(), 3);
        assertThat(first.heads()).hasSize(3).allSatisfy(head -> {
            assertThat(head.letter().value().length()).isZero();
            assertThat(head.payloadBytes()).isEqualTo("{\"n\":1}".length());
        });
        List<String> seen = new java.util.ArrayList<>(idsOf(first));
        deadLetters.replay(Topics.EVENTS, Selection.ofRows(Set.of(seen.get(2))), ORDER);
        DeadLetters.Page second = deadLetters.page(Topics.EVENTS, Selection.ALL, first.next(), 3);
        seen.addAll(idsOf(second));
        DeadLetters.Page last = deadLetters.page(Topics.EVENTS, Selection.ALL, second.next(), 3);
        seen.addAll(idsOf(last));
        assertThat(last.next()).isEmpty();
        assertThat(seen).isEqualTo(inOrder);
        assertThatThrownBy(() -> deadLetters.page(Topics.EVENTS, Selection.ALL, Optional.of("foreign"), 3))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static List<String> idsOf(DeadLetters.Page page) {
        return page.heads().stream().map(head -> head.letter().rowId()).toList();
    }

    @Test
    void aReplayWritesEachRowOnceInTheOrderOfItsKeyAndLeavesNothing() {
        parked.parkEvents(100, 1);
        Report report = deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER, 7);
        assertThat(report.count(Outcome.REPLAYED)).isEqualTo(100);
        assertThat(report.ending()).isEqualTo(Ending.COMPLETE);
        assertThat(retried().stream().map(record -> TopicReader.text(record.value())))
                .containsExactlyElementsOf(IntStream.range(0, 100)
                        .mapToObj(n -> "{\"n\":" + n + "}")
                        .toList());
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL)).isEmpty();
    }

    @Test
    void aReplayedRowKeepsItsTrailAndBeginsAFullNewBudget() {
        parked.park(Topics.EVENTS, "row-1", null, "null", "");
        deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER);
        ConsumerRecord<byte[], byte[]> replay = retried().get(0);
        assertThat(TopicReader.text(replay.key())).isEqualTo("row-1");
        assertThat(replay.value()).isNull();
        assertThat(TopicReader.headers(replay))
                .containsEntry("tailrace-kind", "replay")
                .containsEntry("tailrace-attempt", "0")
                .containsEntry("tailrace-reason", "no-route")
                .containsEntry("tailrace-error-message", "no route takes it")
                .containsEntry("tailrace-first-failed-at", "1700000000000")
                .containsEntry("tailrace-seq", "1:0")
                .containsEntry("tailrace-replay-id", "replay-1")
                .containsEntry("tailrace-replay-count", "1")
                .containsEntry("tailrace-replay-by", "somebody")
                .containsEntry("colour", "blue")
                .doesNotContainKey("tailrace-error-stack");
    }

    @Test
    void aRowWithoutItsPayloadStaysADeadLetter() {
        parked.park(Topics.EVENTS, "row-1", "k", "omitted", "");
        Report report = deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(report.count(Outcome.PAYLOAD_OMITTED)).isEqualTo(1);
        assertThat(retried()).isEmpty();
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL)).hasSize(1);
    }

    @Test
    void aRowTheEngineCouldNotReadWouldComeBackAlteredAndStaysADeadLetter() {
        parked.parkMalformed(Topics.EVENTS, "row-1", "capture");
        parked.parkMalformed(Topics.EVENTS, "row-2", "decide");
        Report dry = deadLetters.replay(Topics.EVENTS, Selection.ALL, new Order("dry", "somebody", true));
        assertThat(dry.rows())
                .extracting(Replay.Row::text)
                .containsExactlyInAnyOrder("malformed: insert a corrected row", "would-replay");
        Report report = deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(report.rows())
                .extracting(Replay.Row::text)
                .containsExactlyInAnyOrder("malformed: insert a corrected row", "replayed");
        assertThat(report.isDone()).isFalse();
        assertThat(retried()).hasSize(1);
        assertThat(ids(deadLetters.list(Topics.EVENTS, Selection.ALL))).containsExactly("row-1");
    }

    @Test
    void aDiscardedRowIsTakenAwayAndWhoDidItIsKept() {
        parked.parkEvents(3, 1);
        Order dry = new Order("dry", "somebody", true);
        assertThat(deadLetters.discard(Topics.EVENTS, Set.of("row-1"), dry).rows())
                .extracting(Replay.Row::text)
                .containsExactly("would-clear: discarded");
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL)).hasSize(3);
        assertThat(stack.reader().uncommitted().read(config.topicNames().operations()))
                .isEmpty();
        assertThat(deadLetters
                        .discard(Topics.EVENTS, Set.of("row-1", "row-9"), ORDER.because("inserted anew"))
                        .rows())
                .extracting(Replay.Row::text)
                .containsExactly("cleared: discarded");
        assertThat(ids(deadLetters.list(Topics.EVENTS, Selection.ALL))).containsExactly("row-0", "row-2");
        assertThat(retried()).singleElement().satisfies(word -> {
            assertThat(TopicReader.text(word.key())).isEqualTo("key-0");
            assertThat(TopicReader.headers(word))
                    .as("if its key stops there, it goes on")
                    .containsEntry("tailrace-kind", "control")
                    .containsEntry("tailrace-control", "discard")
                    .containsEntry("tailrace-turn", "0")
                    .containsEntry("tailrace-seq", "1:1")
                    .containsEntry("ce_id", "row-1");
        });
        assertThat(stack.reader().read(config.topicNames().operations()))
                .extracting(record -> TopicReader.text(record.value()))
                .containsExactly(
                        "cleared (discarded): of=events row=row-1 reason=no-route by=somebody why=inserted anew");
    }

    @Test
    void aDryRunWritesNothingAtAll() throws Exception {
        parked.parkEvents(10, 2);
        Order dry = new Order("dry", "somebody", true);
        assertThat(deadLetters.replay(Topics.EVENTS, Selection.ALL, dry).count(Outcome.WOULD_REPLAY))
                .isEqualTo(10);
        assertThat(stack.reader().uncommitted().read(config.topicNames().retry(Topics.EVENTS)))
                .isEmpty();
        assertThat(stack.reader().uncommitted().read(config.topicNames().deadLetters(Topics.EVENTS)))
                .hasSize(10);
        try (var admin = stack.admin()) {
            assertThat(admin.listTransactions().all().get())
                    .noneMatch(listing -> listing.transactionalId()
                            .startsWith(config.namespace().value()));
        }
    }

    @Test
    void killedHalfWayAndRunAgainDeliversEachRowOnce() {
        parked.parkEvents(1000, 10);
        try (ChildJvm operator = ChildJvm.of(ReplayingOperator.class)
                .arguments(stack.namespace(), stack.bootstrapServers(), "3")
                .start()) {
            stack.reader().awaitCount(60, SOON, config.topicNames().retry(Topics.EVENTS));
            operator.kill();
            assertThat(operator.output()).doesNotContain("done");
        }
        Report second = deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER);
        assertThat(second.count(Outcome.REPLAYED)).isBetween(1L, 940L);
        assertEachRowOnceInOrder(1000);
    }

    @Test
    void aSecondOperatorEndsTheFirstWhoSaysSoAndNothingIsDoubled() {
        parked.parkEvents(1000, 10);
        CompletableFuture<Report> first =
                CompletableFuture.supplyAsync(() -> deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER, 3));
        stack.reader().awaitCount(60, SOON, config.topicNames().retry(Topics.EVENTS));
        Report second = deadLetters.replay(Topics.EVENTS, Selection.ALL, new Order("replay-2", "another", false), 50);
        Report ended = first.join();
        assertThat(second.ending()).isEqualTo(Ending.COMPLETE);
        assertThat(ended.ending()).isEqualTo(Ending.FENCED);
        assertThat(ended.remaining()).isPositive();
        assertThat(ended.rows().size() + ended.remaining()).isEqualTo(1000);
        assertEachRowOnceInOrder(1000);
    }

    @Test
    void anOpenBatchOfAnOperatorWhoStoppedIsAbortedBeforeTheLiveSetIsRead() {
        parked.parkEvents(10, 2);
        Map<String, Object> settings = ClientSettings.producer(config.kafka());
        settings.put("transactional.id", config.namespace().replayTransactionalId(Topics.EVENTS));
        try (KafkaProducer<byte[], byte[]> stopped = new KafkaProducer<>(settings)) {
            stopped.initTransactions();
            stopped.beginTransaction();
            for (DeadLetter letter : deadLetters.list(Topics.EVENTS, Selection.ALL)) {
                new ReplayRecords(config, ORDER).of(letter).forEach(stopped::send);
            }
            stopped.flush();
            assertThat(deadLetters.replay(Topics.EVENTS, Selection.ALL, ORDER).count(Outcome.REPLAYED))
                    .isEqualTo(10);
            assertThatThrownBy(stopped::commitTransaction).isInstanceOf(ProducerFencedException.class);
        }
        assertEachRowOnceInOrder(10);
    }

    private void assertEachRowOnceInOrder(int count) {
        // A commit is answered before its markers are in every partition, and readers wait for these.
        stack.reader().awaitCount(count, SOON, config.topicNames().retry(Topics.EVENTS));
        List<ConsumerRecord<byte[], byte[]>> retried = retried();
        assertThat(retried.stream().map(record -> TopicReader.header(record, "ce_id")))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(n -> "row-" + n).toList());
        retried.stream()
                .collect(groupingBy(
                        record -> String.valueOf(TopicReader.text(record.key())),
                        mapping(record -> number(record), toList())))
                .forEach((key, numbers) -> assertThat(numbers).as(key).isSorted());
        assertThat(deadLetters.list(Topics.EVENTS, Selection.ALL)).isEmpty();
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(
                String.valueOf(TopicReader.header(record, "ce_id")).substring(4));
    }

    private List<ConsumerRecord<byte[], byte[]>> retried() {
        return stack.reader().read(config.topicNames().retry(Topics.EVENTS));
    }

    private List<DeadLetter> select(Set<String> rows, String reason, String name, String key, int limit) {
        return deadLetters.list(
                Topics.EVENTS, new Selection(rows, Optional.of(reason), Optional.of(name), Optional.of(key), limit));
    }

    private static List<String> ids(List<DeadLetter> letters) {
        return letters.stream().map(DeadLetter::rowId).toList();
    }
}
