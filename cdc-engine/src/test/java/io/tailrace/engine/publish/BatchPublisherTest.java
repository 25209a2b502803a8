package io.tailrace.engine.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.engine.EngineMetrics;
import io.tailrace.engine.capture.CaptureSettings;
import io.tailrace.engine.capture.ChangeMapper;
import io.tailrace.engine.capture.SizeLimit;
import io.tailrace.engine.log.Change;
import io.tailrace.engine.log.Columns;
import io.tailrace.engine.log.LogPoint;
import io.tailrace.engine.source.Position;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** How much goes into one transaction of Kafka. */
@RealParts
class BatchPublisherTest {

    private static final Instant NOW = Instant.parse("2024-02-29T12:00:00Z");

    private static final Duration OLD = Duration.ofMillis(1001);

    private static final Duration YOUNG = Duration.ofMillis(999);

    private static final int FLOOD = 64;

    @Test
    void aTransactionGrowsWithABacklogAndIsCommittedWhenTheStreamPauses(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            for (int i = 0; i < 3; i++) {
                assertThat(publishing.take(FLOOD, OLD)).isFalse();
            }
            var sent = stack.reader().uncommitted().awaitCount(3 * FLOOD, Duration.ofSeconds(30), publishing.topic);
            assertThat(sent).hasSize(3 * FLOOD);
            assertThat(publishing.committedEnd()).isZero();
            assertThat(publishing.transactions).isEmpty();

            assertThat(publishing.take(0, OLD)).isTrue();

            assertThat(publishing.transactions).containsExactly(3 * FLOOD);
            assertThat(stack.reader().read(publishing.topic)).hasSize(3 * FLOOD);
            assertThat(publishing.positions.last()).contains(publishing.cursor.position());
        }
    }

    @Test
    void aFewRowsAfterAFloodAreItsEnd(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            assertThat(publishing.take(FLOOD, OLD)).isFalse();
            assertThat(publishing.take(FLOOD - 1, OLD)).isTrue();
            assertThat(publishing.transactions).containsExactly(2 * FLOOD - 1);
        }
    }

    @Test
    void aTransactionEndsWhenItsTimeIsOverHoweverLargeTheBacklog(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            for (int round = 0; round < 2; round++) {
                assertThat(publishing.take(FLOOD, OLD)).isFalse();
                publishing.passes(Duration.ofMillis(499));
                assertThat(publishing.take(FLOOD, OLD)).isFalse();
                publishing.passes(Duration.ofMillis(1));
                assertThat(publishing.take(FLOOD, OLD)).isTrue();
            }
            assertThat(publishing.transactions).containsExactly(3 * FLOOD, 3 * FLOOD);
        }
    }

    @Test
    void withoutABacklogEachBatchGoesAtOnce(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            assertThat(publishing.take(FLOOD, YOUNG)).isTrue();
            assertThat(publishing.take(1, OLD)).isTrue();
            assertThat(publishing.transactions).containsExactly(FLOOD, 1);
        }
    }

    @Test
    void onceStoppedNothingIsPublishedAndNothingIsSafe(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            assertThat(publishing.take(FLOOD, OLD)).isFalse();
            assertThat(publishing.publisher.stop(Duration.ofSeconds(1))).isTrue();
            assertThat(publishing.take(0, OLD)).isFalse();
            publishing.close();
            assertThat(publishing.transactions).isEmpty();
            assertThat(stack.reader().read(publishing.topic)).isEmpty();
            assertThat(publishing.positions.last()).isEmpty();
        }
    }

    /** The cursor may be ahead of what was sent. */
    @Test
    void afterAnErrorNothingIsPublishedAndNothingIsSafe(Stack stack) throws Exception {
        try (Publishing publishing = new Publishing(stack)) {
            assertThat(publishing.take(FLOOD, OLD)).isFalse();
            Object[] unreadable = {new Unreadable(), "some.event", "key"};
            Change change = Change.row(new LogPoint(900, 900, 908, 0), Publishing.COLUMNS, unreadable);
            assertThatThrownBy(() -> publishing.publisher.take(List.of(change))).isInstanceOf(OutOfMemoryError.class);
            assertThat(publishing.take(0, OLD)).isFalse();
            assertThat(publishing.transactions).isEmpty();
        }
    }

    private static final class Unreadable {

        @Override
        public String toString() {
            throw new OutOfMemoryError("a drill");
        }
    }

    /** A publisher on a topic of its own, and what it is handed. */
    private static final class Publishing implements AutoCloseable {

        private static final Columns COLUMNS = Columns.named(List.of("id", "event_name", "ordering_key"));

        private final Stack stack;
        private final AtomicLong nanos = new AtomicLong(1);
        private final List<Integer> transactions = new ArrayList<>();
        private final ResumeCursor cursor = new ResumeCursor(Position.seed("system", 1, "slot", 800));
        private final CommittedOffsets.Desk desk = new CommittedOffsets.Desk(cursor.position());
        private final String topic;
        private final PositionTopic positions;
        private final RawProducer producer;
        private final BatchPublisher publisher;
        private long lsn = 800;

        Publishing(Stack stack) {
            this.stack = stack;
            this.topic = stack.createTopic("raw", 1);
            KafkaConfig kafka = new KafkaConfig(stack.bootstrapServers(), Map.of());
            this.positions = new PositionTopic(
                    kafka, stack.createTopic("positions", 1, Map.of("cleanup.policy", "compact")), "slot");
            this.producer = new RawProducer(kafka, stack.namespace() + ".publisher", 1 << 20, positions);
            producer.begin();
            this.publisher = new BatchPublisher(
                    new ChangeMapper(new CaptureSettings(
                            "source",
                            topic,
                            topic,
                            TableNames.DEFAULT,
                            OutboxMode.TABLE,
                            "slot",
                            Position.FIRST_EPOCH,
                            new SizeLimit(1 << 20))),
                    cursor,
                    producer,
                    desk,
                    new EngineMetrics(new SimpleMeterRegistry(), "slot", Clock.fixed(NOW, ZoneOffset.UTC)),
                    this::reached,
                    nanos::get);
        }

        /** Hands over rows of one transaction that was committed so long ago. */
        boolean take(int rows, Duration age) throws InterruptedException {
            long commitBefore = lsn;
            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, NOW.minus(age));
            List<Change> changes = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                lsn += 8;
                Object[] values = {UUID.randomUUID().toString(), "some.event", "key"};
                changes.add(Change.row(new LogPoint(commitBefore, commitBefore, lsn, micros), COLUMNS, values));
            }
            return publisher.take(changes);
        }

        void passes(Duration time) {
            nanos.addAndGet(time.toNanos());
        }

        /** Up to where a reader of committed records comes. */
        long committedEnd() throws Exception {
            TopicPartition partition = new TopicPartition(topic, 0);
            try (Admin admin = stack.admin()) {
                return admin.listOffsets(
                                Map.of(partition, OffsetSpec.latest()),
                                new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                        .partitionResult(partition)
                        .get(30, TimeUnit.SECONDS)
                        .offset();
            }
        }

        private void reached(BatchWatcher.Step step, int records) {
            if (step == BatchWatcher.Step.AFTER_COMMIT) {
                transactions.add(records);
            }
        }

        @Override
        public void close() {
            producer.close();
            desk.close();
        }
    }
}
