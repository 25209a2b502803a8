package io.tailrace.engine.log;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Changes that were read ahead, bounded in number and in bytes. One thread puts, one takes. */
final class ChangeQueue {

    private final int mostChanges;
    private final long mostBytes;
    private final int batchSize;
    private final long patienceNanos;
    private final LongSupplier nanoTime;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition batchIsThere = lock.newCondition();
    private final Condition roomIsThere = lock.newCondition();
    private final ArrayDeque<Change> changes = new ArrayDeque<>();
    private long bytes;

    /** When the queue was empty last. */
    private long firstNanos;

    private boolean closed;

    /**
     * An empty queue.
     *
     * @param mostBytes 0 for any number
     * @param batchSize most changes that are taken at once
     * @param patience for how long changes are collected before a batch that is not full, counted from the first of them: those that
     *     came while the batch before was written have waited already
     */
    ChangeQueue(int mostChanges, long mostBytes, int batchSize, Duration patience) {
        this(mostChanges, mostBytes, batchSize, patience, System::nanoTime);
    }

    ChangeQueue(int mostChanges, long mostBytes, int batchSize, Duration patience, LongSupplier nanoTime) {
        this.mostChanges = mostChanges;
        this.mostBytes = mostBytes;
        this.batchSize = batchSize;
        this.patienceNanos = patience.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Puts a change in, as soon as there is room. */
    void put(Change change) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isFull() && !closed) {
                batchIsThere.signal();
                roomIsThere.await();
            }
            if (closed) {
                throw new InterruptedException("the run is over");
            }
            if (changes.isEmpty()) {
                firstNanos = nanoTime.getAsLong();
            }
            changes.add(change);
            bytes += change.bytes();
            if (changes.size() == batchSize || isFull()) {
                batchIsThere.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The next changes: a full batch, or what has come when the time is over. */
    List<Change> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long began = nanoTime.getAsLong();
            while (changes.size() < batchSize && !isFull()) {
                long waited = nanoTime.getAsLong() - (changes.isEmpty() ? began : firstNanos);
                if (waited >= patienceNanos) {
                    break;
                }
                batchIsThere.awaitNanos(patienceNanos - waited);
            }
            int size = Math.min(changes.size(), batchSize);
            List<Change> batch = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                Change change = changes.remove();
                bytes -= change.bytes();
                batch.add(change);
            }
            roomIsThere.signal();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Lets go whoever waits for room; what comes now is for nobody. */
    void close() {
        lock.lock();
        try {
            closed = true;
            roomIsThere.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isFull() {
        return changes.size() >= mostChanges || (mostBytes > 0 && bytes >= mostBytes);
    }
}
