package io.tailrace.contract.config;

import java.time.Duration;
import java.util.Objects;

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
        Objects.requireNonNull(rawRetention, "rawRetention");
        Ranges.between("topics.partitions", partitions, 1, 1000);
        Ranges.between("topics.replication", replication, 1, 32);
        Ranges.between("topics.min-insync-replicas", minInsyncReplicas, 1, replication);
        Ranges.between("topics.max-message-bytes", maxMessageBytes, 64 * 1024, 64 * 1024 * 1024);
        Ranges.between("topics.raw-retention", rawRetention, Duration.ofDays(14), Duration.ofDays(3650));
    }
}
