package io.tailrace.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what is committed in a topic from its beginning, once, without keeping it. */
final class Witness implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;

    /** A reader that stands at the beginning of a topic. */
    Witness(String bootstrapServers, String topic) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Waits until a topic holds so many committed records and says how many it holds then, or when the time has passed. */
    static int awaitRows(String bootstrapServers, String topic, int rows) {
        AtomicInteger read = new AtomicInteger();
        try (Witness witness = new Witness(bootstrapServers, topic)) {
            witness.readUntil(record -> read.incrementAndGet(), () -> read.get() >= rows, PATIENCE);
            witness.readToEnd(record -> read.incrementAndGet());
        }
        return read.get();
    }

    /** Reads until there is nothing more to wait for, or the time has passed. */
    void readUntil(Consumer<ConsumerRecord<byte[], byte[]>> each, BooleanSupplier enough, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!enough.getAsBoolean() && System.nanoTime() - deadline < 0) {
            consumer.poll(POLL).forEach(each);
        }
    }

    /** Reads what is there now and was not read yet. */
    void readToEnd(Consumer<ConsumerRecord<byte[], byte[]>> each) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(POLL).forEach(each);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
