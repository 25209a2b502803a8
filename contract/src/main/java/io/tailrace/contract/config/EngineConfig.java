package io.tailrace.contract.config;

import java.time.Duration;

/**
 * The engine that reads the WAL.
 *
 * @param pollInterval how long Debezium's queue collects changes before a batch that is not full: the floor of latency
 * @param maxBatchSize most rows that are handed on at once
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
        Keys.POLL_INTERVAL.require(pollInterval);
        Keys.MAX_BATCH_SIZE.require(maxBatchSize);
        Keys.MAX_QUEUE_SIZE.require(maxQueueSize);
        Keys.MAX_QUEUE_BYTES.require(maxQueueBytes);
        Keys.HEARTBEAT_INTERVAL.require(heartbeatInterval);
        Keys.ENGINE_STOP_TIMEOUT.require(stopTimeout);
        if (maxQueueSize <= maxBatchSize) {
            throw new IllegalArgumentException(
                    "max-queue-size (%d) must be more than max-batch-size (%d)".formatted(maxQueueSize, maxBatchSize));
        }
    }
}
