package io.tailrace.executor.intake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition for as long as this member has it. A partition that comes back later is another assignment: what is left of the first one
 * cannot move the offset of the second. What is not final is guarded by the lock of {@link KeyQueues}.
 */
final class Assignment {

    private final TopicPartition partition;
    private final Watermark watermark;

    /** What was read at once, oldest first, as far as some of it is not settled. For the thread of the intake. */
    private final Deque<Batch> batches = new ArrayDeque<>();

    private boolean revoked;
    private int suspects;
    private boolean suspected;

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

    /** One of its suspects begins; true once. */
    boolean isFirstSuspect() {
        boolean first = !suspected;
        suspected = true;
        return first;
    }

    /** Records were read together; the offset of the first. */
    void read(long offset) {
        batches.addLast(new Batch(offset, System.nanoTime()));
    }

    /** When ({@link System#nanoTime}) the oldest record was read that is not settled; empty when there is none. */
    OptionalLong oldestOpen() {
        if (watermark.open() == 0) {
            batches.clear();
            return OptionalLong.empty();
        }
        long position = watermark.position();
        Batch oldest = batches.pollFirst();
        for (Batch next = batches.peekFirst(); next != null && next.offset <= position; next = batches.peekFirst()) {
            oldest = batches.pollFirst();
        }
        if (oldest == null) {
            return OptionalLong.empty();
        }
        batches.addFirst(oldest);
        return OptionalLong.of(oldest.nanos);
    }

    private record Batch(long offset, long nanos) {}
}
