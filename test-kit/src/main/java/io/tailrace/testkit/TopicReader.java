package io.tailrace.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads topics from their beginning with a plain consumer: a witness that shares no code with what it watches. Immutable; each
 * read opens and closes a consumer of its own, without a group.
 */
public final class TopicReader {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration STUCK = Duration.ofSeconds(60);

    private final String bootstrapServers;
    private final IsolationLevel isolation;

    private TopicReader(String bootstrapServers, IsolationLevel isolation) {
        this.bootstrapServers = bootstrapServers;
        this.isolation = isolation;
    }

    /** Sees what is committed, as every reader of Tailrace's topics should. */
    public static TopicReader on(String bootstrapServers) {
        return new TopicReader(bootstrapServers, IsolationLevel.READ_COMMITTED);
    }

    /** Sees also what is open or was aborted. */
    public TopicReader uncommitted() {
        return new TopicReader(bootstrapServers, IsolationLevel.READ_UNCOMMITTED);
    }

    /**
     * All records up to the end that the topics have when the call begins, by topic, partition and offset. With
     * {@code read_committed} it waits for the transactions that are open then. They may be committed already: a commit returns before its
     * markers are written, and up to the last stable offset its records would be missing.
     *
     * @throws IllegalStateException if a topic does not exist, or the end is not reached within 60 s
     */
    public List<ConsumerRecord<byte[], byte[]>> read(String... topics) {
        try (Consumer<byte[], byte[]> consumer = consumer(isolation)) {
            Collection<TopicPartition> partitions = assign(consumer, topics);
            Map<TopicPartition, Long> ends = highWatermarks(partitions);
            List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
            long deadline = System.nanoTime() + STUCK.toNanos();
            // A position, unlike a record, also passes transaction markers and compacted gaps.
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("Read " + read.size() + " records and then nothing up to " + ends);
                }
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
                    if (each.offset() < ends.getOrDefault(new TopicPartition(each.topic(), each.partition()), 0L)) {
                        read.add(each);
                    }
                }
            }
            return inOrder(read);
        }
    }

    /** Waits until a topic holds at least {@code count} records; returns all that were there by then. */
    public List<ConsumerRecord<byte[], byte[]>> awaitCount(int count, Duration atMost, String... topics) {
        return await("at least " + count + " records", read -> read.size() >= count, atMost, topics);
    }

    /**
     * Waits until what was read so far satisfies a condition; returns all that was read by then.
     *
     * @throws AssertionError if that takes longer; its message says what was wanted and how much was read
     */
    public List<ConsumerRecord<byte[], byte[]>> await(
            String wanted,
            Predicate<List<ConsumerRecord<byte[], byte[]>>> condition,
            Duration atMost,
            String... topics) {
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        long deadline = System.nanoTime() + atMost.toNanos();
        try (Consumer<byte[], byte[]> consumer = consumer(isolation)) {
            assign(consumer, topics);
            while (!condition.test(read)) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(String.format(
                            Locale.ROOT,
                            "Wanted %s in %s within %d ms; read %d records",
                            wanted,
                            String.join(", ", topics),
                            TimeUnit.NANOSECONDS.toMillis(atMost.toNanos()),
                            read.size()));
                }
                consumer.poll(POLL).forEach(read::add);
            }
        }
        return inOrder(read);
    }

    /** The value of a header as text, the last one if it is there more than once, or null. */
    public static @Nullable String header(ConsumerRecord<?, ?> of, String name) {
        Header header = of.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** All headers as text, the last one of each name. */
    public static Map<String, @Nullable String> headers(ConsumerRecord<?, ?> of) {
        Map<String, @Nullable String> all = new HashMap<>();
        of.headers()
                .forEach(header -> all.put(
                        header.key(),
                        header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8)));
        return all;
    }

    /** A key or value as text, or null. */
    public static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
        try (Consumer<byte[], byte[]> consumer = consumer(IsolationLevel.READ_UNCOMMITTED)) {
            return consumer.endOffsets(partitions);
        }
    }

    private Consumer<byte[], byte[]> consumer(IsolationLevel isolation) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toString(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000",
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "50"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static Collection<TopicPartition> assign(Consumer<?, ?> consumer, String... topics) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics) {
            var found = consumer.partitionsFor(topic);
            if (found == null || found.isEmpty()) {
                throw new IllegalStateException("There is no topic " + topic);
            }
            found.forEach(partition -> partitions.add(new TopicPartition(topic, partition.partition())));
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return partitions;
    }

    private static List<ConsumerRecord<byte[], byte[]>> inOrder(List<ConsumerRecord<byte[], byte[]>> read) {
        return read.stream()
                .sorted(Comparator.<ConsumerRecord<byte[], byte[]>, String>comparing(ConsumerRecord::topic)
                        .thenComparing(ConsumerRecord::partition)
                        .thenComparing(ConsumerRecord::offset))
                .toList();
    }
}
