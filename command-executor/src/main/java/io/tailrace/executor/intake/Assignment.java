package io.tailrace.executor.intake;

import org.apache.kafka.common.TopicPartition;

/**
 * One partition for as long as this member has it. A partition that comes back later is another assignment: what is left of the first one
 * cannot move the offset of the second. What is not final is guarded by the lock of {@link KeyQueues}.
 */
final class Assignment {

    private final TopicPartition partition;
    private final Watermark watermark;
    private boolean revoked;
    private int suspects;

    Assignment(TopicPartition partition, Watermark watermark) {
        this.partition = partition;
        this.watermark = watermark;
    }

    TopicPartition partition() {
        return partition;
    }

    Watermark watermark() {
        return watermark;
    }

    boolean isRevoked() {
        return revoked;
    }

    void revoke() {
        revoked = true;
    }

    /** Its next rows, so many of those that run, may have killed its last owner. */
    int suspects() {
        return suspects;
    }

    void suspects(int rows) {
        suspects = rows;
    }
}
