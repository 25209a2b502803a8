package io.tailrace.contract.config;

import java.time.Duration;
import java.util.Objects;

/**
 * The engine that reads the WAL.
 *
 * @param pollInterval how long Debezium's queue collects changes before a batch that is not full: the floor of latency
 * @param maxBatchSize most rows of one Kafka transaction
 * @param maxQueueSize rows read ahead, more than {@code maxBatchSize}
 * @param maxQueueBytes bytes read ahead: what bounds the heap with large payloads
 * @param heartbeatInterval how often a transactional heartbeat message is written, so that the slot moves while the tables are idle
 * @param stopTimeout how long a stop may take before the process gives up on Debezium
 */
public record EngineConfig(
        Duration pollInterval,
        int maxBatchSize,
        int maxQueueSize,
        long maxQueueBytes,
        Duration heartbeatInterval,
        Duration stopTimeout) {

    public EngineConfig {
        Objects.requireNonNull(pollInterval, "pollInterval");
        Objects.requireNonNull(heartbeatInterval, "heartbeatInterval");
        Objects.requireNonNull(stopTimeout, "stopTimeout");
        Ranges.between("engine.poll-interval", pollInterval, Duration.ofMillis(1), Duration.ofSeconds(5));
        Ranges.between("engine.max-batch-size", maxBatchSize, 1, 100_000);
        Ranges.between("engine.max-queue-size", maxQueueSize, maxBatchSize + 1L, 1_000_000);
        Ranges.between("engine.max-queue-bytes", maxQueueBytes, 1 << 20, 1L << 34);
        Ranges.between("engine.heartbeat-interval", heartbeatInterval, Duration.ofMillis(100), Duration.ofMinutes(5));
        Ranges.between("engine.stop-timeout", stopTimeout, Duration.ofSeconds(1), Duration.ofSeconds(9));
    }
}
