package io.tailrace.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@RealParts
class CompactedTopicTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void theLastCommittedRecordOfEachKeyIsLive(Stack stack) {
        String topic = stack.createTopic("positions", 2, Map.of("cleanup.policy", "compact"));
        KafkaConfig kafka = new KafkaConfig(stack.bootstrapServers(), Map.of());
        try (KafkaProducer<byte[], byte[]> producer = producer(kafka, stack, "a")) {
            producer.beginTransaction();
            send(producer, topic, "one", "1");
            send(producer, topic, "two", "1");
            send(producer, topic, "gone", "1");
            producer.commitTransaction();
            producer.beginTransaction();
            send(producer, topic, "two", "2");
            send(producer, topic, "gone", null);
            producer.commitTransaction();
            producer.beginTransaction();
            send(producer, topic, "one", "aborted");
            send(producer, topic, "three", "aborted");
            producer.flush();
            producer.abortTransaction();
        }
        Map<Bytes, CompactedTopic.Live> live = new CompactedTopic(kafka, topic).read(PATIENCE);
        Map<String, String> values = new HashMap<>();
        live.forEach((key, record) -> values.put(key.utf8(), record.value().utf8()));
        assertThat(values).containsOnly(Map.entry("one", "1"), Map.entry("two", "2"));
    }

    /** Read to the last stable offset it would miss what was committed behind a transaction that somebody else has open. */
    @Test
    void whatIsCommittedBehindAnOpenTransactionIsNotMissed(Stack stack) throws Exception {
        String topic = stack.createTopic("positions", 1, Map.of("cleanup.policy", "compact"));
        KafkaConfig kafka = new KafkaConfig(stack.bootstrapServers(), Map.of());
        try (KafkaProducer<byte[], byte[]> other = producer(kafka, stack, "other");
                KafkaProducer<byte[], byte[]> mine = producer(kafka, stack, "mine")) {
            other.beginTransaction();
            send(other, topic, "other", "open");
            other.flush();
            mine.beginTransaction();
            send(mine, topic, "mine", "committed");
            mine.commitTransaction();
            CompletableFuture<Map<Bytes, CompactedTopic.Live>> read =
                    CompletableFuture.supplyAsync(() -> new CompactedTopic(kafka, topic).read(PATIENCE));
            assertThat(read.completeOnTimeout(Map.of(), 1, TimeUnit.SECONDS).get())
                    .as("it waits for the other's transaction to end")
                    .isEmpty();
            other.abortTransaction();
            assertThat(new CompactedTopic(kafka, topic).read(Bytes.utf8("mine"), PATIENCE))
                    .get()
                    .satisfies(live -> assertThat(live.value().utf8()).isEqualTo("committed"));
        }
    }

    @Test
    void anEmptyTopicHasNoLiveRecord(Stack stack) {
        String topic = stack.createTopic("empty", 3, Map.of("cleanup.policy", "compact"));
        assertThat(new CompactedTopic(new KafkaConfig(stack.bootstrapServers(), Map.of()), topic).read(PATIENCE))
                .isEmpty();
    }

    private static KafkaProducer<byte[], byte[]> producer(KafkaConfig kafka, Stack stack, String id) {
        Map<String, Object> settings = ClientSettings.producer(kafka);
        settings.put("transactional.id", stack.namespace() + "." + id);
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
        producer.initTransactions();
        return producer;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, String key, @Nullable String value) {
        producer.send(new ProducerRecord<>(
                topic,
                key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8)));
    }
}
