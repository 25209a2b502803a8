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

    /** Room for Kafka's own format around the largest record, in what a client may send at once. */
    private static final int FORMAT_BYTES = 1024;

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

    /** Largest message, in bytes, of topics that carry a row with its delivery headers: due, retry, redelivery, DLQ, audit feed. */
    public int maxCarriedBytes() {
        return maxMessageBytes + OVERHEAD_BYTES;
    }

    /** Largest request, in bytes, of a client that writes to such topics: the largest record that they take must not fail at its own client. */
    public int maxRequestBytes() {
        return maxCarriedBytes() + FORMAT_BYTES;
    }
}
