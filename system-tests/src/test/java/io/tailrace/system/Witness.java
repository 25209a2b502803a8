package io.tailrace.system;

import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A plain consumer that reads some topics from their beginning for as long as the test runs, as {@code read_committed}, and keeps what
 * it sees. Topics that come into being later are found. Thread-safe.
 */
final class Witness implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Stack stack;
    private final Predicate<String> wanted;
    // Guarded by itself.
    private final List<Sighting> seen = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "witness");
    private volatile boolean ending;
    private volatile @Nullable RuntimeException failed;

    private Witness(Stack stack, Predicate<String> wanted) {
        this.stack = stack;
        this.wanted = wanted;
        thread.setDaemon(true);
        thread.start();
    }

    static Witness of(Stack stack, String... topics) {
        return new Witness(stack, Set.of(topics)::contains);
    }

    /** One record, in the order of reading: within a partition, that of its offsets. */
    record Sighting(
            String topic,
            int partition,
            long offset,
            @Nullable String key,
            @Nullable String value,
            Map<String, String> headers) {

        String id() {
            return headers.getOrDefault("ce_id", "");
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }

        /** Epoch and offset of the row in its raw topic. */
        long seq() {
            String seq = header("tailrace-seq");
            int colon = seq.indexOf(':');
            return (Long.parseLong(seq.substring(0, colon)) << 48) + Long.parseLong(seq.substring(colon + 1));
        }

        boolean isLate() {
            return headers.containsKey("tailrace-late");
        }
    }

    /** All so far. */
    List<Sighting> seen() {
        RuntimeException e = failed;
        if (e != null) {
            throw new IllegalStateException("the witness failed", e);
        }
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    int count() {
        synchronized (seen) {
            return seen.size();
        }
    }

    /** Those of a key. */
    List<Sighting> of(String key) {
        return seen().stream().filter(each -> key.equals(each.key())).toList();
    }

    /** Waits until each of these rows was seen, at least once. */
    void awaitRows(Collection<UUID> ids) {
        Set<String> missing = ids.stream().map(UUID::toString).collect(Collectors.toCollection(HashSet::new));
        await("all of " + ids.size() + " rows")
                .pollInterval(POLL)
                .atMost(PATIENCE)
                .until(() -> {
                    seen().forEach(each -> missing.remove(each.id()));
                    return missing.isEmpty();
                });
    }

    /** Waits until so many records were seen. */
    void awaitCount(int count) {
        await(count + " records").pollInterval(POLL).atMost(PATIENCE).until(() -> count() >= count);
    }

    /** Waits for a record. */
    Sighting await1(String what, Predicate<Sighting> condition) {
        await(what)
                .pollInterval(POLL)
                .atMost(PATIENCE)
                .until(() -> seen().stream().anyMatch(condition));
        return seen().stream().filter(condition).findFirst().orElseThrow();
    }

    @Override
    public void close() {
        ending = true;
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.bootstrapServers(),
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false",
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "50",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            while (!ending) {
                discover(consumer);
                for (int polls = 0; polls < 5 && !ending; polls++) {
                    poll(consumer);
                }
            }
        } catch (RuntimeException e) {
            failed = e;
        }
    }

    private void discover(KafkaConsumer<?, ?> consumer) {
        Set<TopicPartition> found = new HashSet<>();
        try {
            consumer.listTopics(Duration.ofSeconds(5)).forEach((topic, partitions) -> {
                if (wanted.test(topic)) {
                    partitions.forEach(info -> found.add(new TopicPartition(topic, info.partition())));
                }
            });
        } catch (TimeoutException brokerIsAway) {
            return; // Tests take it away.
        }
        if (!found.equals(consumer.assignment())) {
            // Positions of partitions that stay are kept.
            consumer.assign(found);
        }
    }

    private void poll(KafkaConsumer<byte[], byte[]> consumer) {
        if (consumer.assignment().isEmpty()) {
            LockSupport.parkNanos(POLL.toNanos()); // Until there is something to poll.
            return;
        }
        List<Sighting> fresh = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
            Map<String, String> headers = new HashMap<>();
            each.headers().forEach(header -> headers.put(header.key(), String.valueOf(text(header.value()))));
            fresh.add(new Sighting(
                    each.topic(), each.partition(), each.offset(), text(each.key()), text(each.value()), headers));
        }
        synchronized (seen) {
            seen.addAll(fresh);
        }
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
