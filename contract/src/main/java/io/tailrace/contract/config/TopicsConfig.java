package io.tailrace.contract.config;

import java.time.Duration;

/**
 * What Tailrace's topics look like. Checked at every start; a topic that differs is named with the command that mends it.
 *
 * @param partitions of raw, retry, redelivery and due topics; chosen once, a change is refused
 * @param replication of every topic Tailrace creates
 * @param minInsyncReplicas of every topic Tailrace creates, at most {@code replication}
 * @param autoCreate whether missing topics, destinations among them, are created
 * @param maxMessageBytes of raw topics and destinations; retry, redelivery and DLQ topics take {@value #OVERHEAD_BYTES} bytes more
 * @param rawRetention at least 14 days
 */
public record TopicsConfig(
        int partitions,
        int replication,
        int minInsyncReplicas,
        boolean autoCreate,
        int maxMessageBytes,
        Duration rawRetention) {

    /** Room for delivery headers on topics that carry a failed row. */
    public static final int OVERHEAD_BYTES = 64 * 1024;

    public TopicsConfig {
        Keys.PARTITIONS.require(partitions);
        Keys.REPLICATION.require(replication);
        Keys.MIN_INSYNC_REPLICAS.require(minInsyncReplicas);
        Keys.MAX_MESSAGE_BYTES.require((long) maxMessageBytes);
        Keys.RAW_RETENTION.require(rawRetention);
        if (minInsyncReplicas > replication) {
            throw new IllegalArgumentException("min-insync-replicas (%d) must not be more than replication (%d)"
                    .formatted(minInsyncReplicas, replication));
        }
    }
}
