package io.tailrace.executor.intake;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * First offsets of topics that came while the group has members: only a member may commit for such a group, so the thread that has the
 * client does it for the one that found the topics. Thread-safe.
 */
final class FirstOffsets {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private record Wanted(Map<TopicPartition, OffsetAndMetadata> offsets, CompletableFuture<Void> done) {}

    private final Queue<Wanted> waiting = new ConcurrentLinkedQueue<>();

    /**
     * Has them committed, and returns when that is done. For any thread but that of the client.
     *
     * @throws KafkaException if it was not done, or nobody knows; trying again later may help
     */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Wanted wanted = new Wanted(Map.copyOf(offsets), new CompletableFuture<>());
        waiting.add(wanted);
        try {
            wanted.done().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new KafkaException("the first offsets of %s are not committed".formatted(offsets.keySet()), failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while offsets were committed", stopping);
        }
    }

    /** Commits what waits for it. For the thread of the client. */
    void commitWith(KafkaConsumer<byte[], byte[]> consumer, Duration timeout) {
        for (Wanted wanted = waiting.poll(); wanted != null; wanted = waiting.poll()) {
            try {
                consumer.commitSync(wanted.offsets(), timeout);
                wanted.done().complete(null);
            } catch (KafkaException failed) {
                wanted.done().completeExceptionally(failed);
            }
        }
    }
}
