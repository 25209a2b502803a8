package io.tailrace.executor.intake;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one key of a partition, oldest first. In line, with a worker, or parked: exactly one of the three for as long as it has rows. What
 * is for {@link KeyQueues} alone is called under its lock; what is for the worker takes it.
 */
final class KeyQueue implements Work.Turn, Lines.Entry {

    private final Id id;
    private final ReentrantLock lock;
    private final BooleanSupplier goesOn;
    private final ArrayDeque<Task> tasks = new ArrayDeque<>();
    private @Nullable Task current;

    /** A key within a partition; for a row without a key the record itself. */
    record Id(Assignment assignment, Object row) {

        static Id of(Task task) {
            return new Id(task.assignment(), task.record().queueKey());
        }
    }

    /**
     * Has no rows.
     *
     * @param lock over everything
     * @param goesOn whether workers go on at all; asked under the lock
     */
    KeyQueue(Id id, ReentrantLock lock, BooleanSupplier goesOn) {
        this.id = id;
        this.lock = lock;
        this.goesOn = goesOn;
    }

    Id id() {
        return id;
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    void putLast(Task task) {
        tasks.addLast(task);
    }

    /** A worker has it from now on. */
    Task begin() {
        Task head = tasks.getFirst();
        current = head;
        return head;
    }

    /** The worker gives it back, without the rows that are finished. */
    void end(List<Task> finished) {
        remove(finished);
        current = null;
    }

    /** What the work remembers something of, unless a worker has it. */
    Stream<Task> remembered() {
        return current == null ? tasks.stream().filter(Task::isRemembered) : Stream.empty();
    }

    @Override
    public Assignment assignment() {
        return id.assignment();
    }

    @Override
    public Task head() {
        lock.lock();
        try {
            Task head = current;
            if (head == null) {
                throw new IllegalStateException("no worker has this queue");
            }
            return head;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Task> behind(int most) {
        lock.lock();
        try {
            if (id.assignment().isRevoked()) {
                return List.of();
            }
            return tasks.stream().filter(task -> task != current).limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean goesOn() {
        lock.lock();
        try {
            return goesOn.getAsBoolean() && !id.assignment().isRevoked();
        } finally {
            lock.unlock();
        }
    }

    /** Mostly the head alone, of a queue that may be long. */
    private void remove(List<Task> finished) {
        if (finished.size() == 1 && finished.get(0) == tasks.peekFirst()) {
            tasks.removeFirst();
        } else if (!finished.isEmpty()) {
            tasks.removeIf(new HashSet<>(finished)::contains);
        }
    }

    /** A worker may have the head: what comes back then stands right behind it. */
    void putFirst(Task task) {
        if (current == null) {
            tasks.addFirst(task);
        } else {
            Task head = tasks.removeFirst();
            tasks.addFirst(task);
            tasks.addFirst(head);
        }
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
