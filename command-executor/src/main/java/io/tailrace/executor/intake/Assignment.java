package io.tailrace.executor.intake;

import org.apache.kafka.common.TopicPartition;

/**
 * One partition for as long as this member has it. A partition that comes back later is another assignment: what is left of the first one
 * cannot move the offset of the second. {@code revoked} is guarded by the lock of {@link KeyQueues}.
 */
final class Assignment {

    private final TopicPartition partition;
    private final Watermark watermark = new Watermark();
    private boolean revoked;

    Assignment(TopicPartition partition) {
        this.partition = partition;
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
}
