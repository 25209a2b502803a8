package io.tailrace.executor.intake;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue per (partition, source, key), a queue of its own for each row without a key, and the workers that serve their heads. A queue is
 * with one worker at a time, so the rows of a key run in the order of the partition; different queues run side by side.
 *
 * <p>Thread-safe; one lock over everything, held for a few operations on collections and never while work is done.
 */
public final class KeyQueues implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KeyQueues.class);

    /** After a bug in the work: long enough not to fill the log. */
    private static final Duration AFTER_BUG = Duration.ofSeconds(1);

    /** A row that kills its process does so soon; what is slow must not hold up a partition for ever. */
    private static final Duration SUSPICION = Duration.ofSeconds(10);

    private final ReentrantLock lock = new ReentrantLock();

    /** There is a queue to take. Whoever takes one and leaves another wakes the next worker, so that none is woken for nothing. */
    private final Condition work = lock.newCondition();

    private final Condition idle = lock.newCondition();
    private final Map<KeyQueue.Id, KeyQueue> queues = new HashMap<>();
    private final Lines<KeyQueue> lines = new Lines<>();
    private final List<Thread> workers = new ArrayList<>();
    private final ScheduledThreadPoolExecutor timer;
    private final Duration suspicion;
    private @Nullable Work whatToDo;
    private int running;
    private boolean held;
    private boolean stopped;

    /**
     * Takes rows, and does nothing with them until {@link #start}.
     *
     * @param size how many heads are worked on at the same time
     */
    public KeyQueues(int size) {
        this(size, SUSPICION);
    }

    KeyQueues(int size, Duration suspicion) {
        this.suspicion = suspicion;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "tailrace-executor-timer"));
        this.timer.setRemoveOnCancelPolicy(true);
        this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        for (int i = 1; i <= size; i++) {
            workers.add(daemon(this::serve, "tailrace-executor-worker-" + i));
        }
    }

    /** Starts the workers. */
    public void start(Work todo) {
        this.whatToDo = todo;
        workers.forEach(Thread::start);
    }

    /** Queues what was read from one partition, in order. */
    void submit(Assignment assignment, Collection<DueRecord> records) {
        lock.lock();
        try {
            if (stopped || assignment.isRevoked()) {
                return;
            }
            for (DueRecord record : records) {
                add(new Task(record, assignment, this), false);
            }
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing of these partitions begins any more. What runs, runs to its end and settles its row; only its offset is lost. */
    void revoke(Collection<Assignment> assignments) {
        List<Task> remembered;
        lock.lock();
        try {
            assignments.forEach(Assignment::revoke);
            remembered = remembered(queue -> queue.assignment().isRevoked());
            queues.values().removeIf(queue -> queue.assignment().isRevoked());
            lines.removeRevoked();
        } finally {
            lock.unlock();
        }
        forget(remembered);
    }

    private List<Task> remembered(Predicate<KeyQueue> forgotten) {
        return queues.values().stream()
                .filter(forgotten)
                .flatMap(KeyQueue::remembered)
                .toList();
    }

    private void forget(List<Task> tasks) {
        Work looked = whatToDo;
        if (looked != null && !tasks.isEmpty()) {
            try {
                looked.forgotten(tasks);
            } catch (RuntimeException bug) {
                LOG.error("Bug in the executor, rows are left as they were: {}", tasks.size(), bug);
            }
        }
    }

    /** The last owner of a partition left without a word: one of as many rows as he ran at a time may be why. Before anything of it is queued. */
    void suspect(Assignment assignment) {
        lock.lock();
        try {
            assignment.suspects(workers.size());
        } finally {
            lock.unlock();
        }
    }

    /** From the first of its suspects on, since those of other partitions may have been before it, each for as long as it takes. */
    private void limitSuspicion(Assignment assignment) {
        try {
            timer.schedule(() -> trust(assignment), suspicion.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing: nothing of {} runs", assignment.partition(), closing);
        }
    }

    private void trust(Assignment assignment) {
        lock.lock();
        try {
            assignment.suspects(0);
            lines.trust(assignment);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Hands out nothing until {@link #release}: what the rows need is down. */
    public void hold() {
        lock.lock();
        try {
            held = true;
        } finally {
            lock.unlock();
        }
    }

    /** Goes on after {@link #hold}. */
    public void release() {
        lock.lock();
        try {
            held = false;
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is handed out. */
    public boolean isHeld() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Heads that are being worked on. */
    public int running() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing begins any more; what waits in queues is forgotten, its offsets do not pass. Does not wait for what runs. */
    public void stop() {
        List<Task> remembered;
        lock.lock();
        try {
            stopped = true;
            remembered = remembered(queue -> true);
            lines.clear();
            queues.clear();
            work.signalAll();
        } finally {
            lock.unlock();
        }
        forget(remembered);
    }

    /** Waits until nothing runs any more; false if that takes longer. */
    public boolean awaitIdle(Duration atMost) throws InterruptedException {
        long left = atMost.toNanos();
        lock.lock();
        try {
            while (running > 0) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        stop();
        timer.shutdownNow();
    }

    void putBack(Task task) {
        lock.lock();
        try {
            if (!stopped && !task.assignment().isRevoked()) {
                // A task of its own: the old one may still be on its way out of the queue.
                add(new Task(task.record(), task.assignment(), this), true);
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isRevoked(Assignment assignment) {
        lock.lock();
        try {
            return assignment.isRevoked();
        } finally {
            lock.unlock();
        }
    }

    private void add(Task task, boolean first) {
        KeyQueue.Id id = KeyQueue.Id.of(task);
        KeyQueue queue = queues.get(id);
        if (queue == null) {
            queue = new KeyQueue(id, lock, this::goesOn);
            queues.put(id, queue);
            lines.add(queue);
        }
        if (first) {
            queue.putFirst(task);
        } else {
            queue.putLast(task);
        }
    }

    private boolean goesOn() {
        return !stopped && !held;
    }

    private void serve() {
        KeyQueue queue = next(null, null);
        while (queue != null) {
            Work.Outcome outcome;
            try {
                outcome = Objects.requireNonNull(whatToDo).run(queue);
            } catch (Throwable bug) {
                LOG.error(
                        "Bug in the executor, the row is tried again in {} ms: {}",
                        AFTER_BUG.toMillis(),
                        queue.head().record(),
                        bug);
                outcome = Work.Outcome.again(AFTER_BUG);
            }
            queue = next(queue, outcome);
        }
    }

    /** Gives back a queue, if the worker has one, and takes the next: often the same, for which then nobody else is woken. */
    private @Nullable KeyQueue next(@Nullable KeyQueue before, Work.@Nullable Outcome outcome) {
        lock.lock();
        try {
            if (before != null && outcome != null) {
                giveBack(before, outcome);
            }
            KeyQueue queue = held ? null : lines.next();
            while (!stopped && queue == null) {
                work.awaitUninterruptibly();
                queue = held ? null : lines.next();
            }
            if (stopped || queue == null) {
                return null;
            }
            boolean suspect = lines.isSuspect(queue);
            queue.begin().suspect(suspect);
            if (suspect && queue.assignment().isFirstSuspect()) {
                limitSuspicion(queue.assignment());
            }
            running++;
            if (lines.hasNext()) {
                work.signal();
            }
            return queue;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(KeyQueue queue, Work.Outcome outcome) {
        Task head = queue.head();
        queue.end(outcome.finished());
        if (stopped || queue.assignment().isRevoked()) {
            // Before we count as idle: nobody closes meanwhile what is needed for it.
            unlocked(() -> forget(queue.remembered().toList()));
        }
        running--;
        if (running == 0) {
            idle.signalAll();
        }
        if (lines.back(queue) && head.isCounted()) {
            count(queue.assignment());
        }
        if (stopped || queue.assignment().isRevoked()) {
            return;
        }
        if (queue.isEmpty()) {
            queues.remove(queue.id());
        } else if (outcome.again().isPresent() && !outcome.again().get().isZero()) {
            park(queue, outcome.again().get());
        } else {
            lines.add(queue);
        }
    }

    private void unlocked(Runnable action) {
        lock.unlock();
        try {
            action.run();
        } finally {
            lock.lock();
        }
    }

    /** One of its suspects did nothing. Not before it is back: who is trusted then may run beside nobody that is accused. */
    private void count(Assignment assignment) {
        if (assignment.suspects() == 1) {
            trust(assignment);
        } else if (assignment.suspects() > 1) {
            assignment.suspects(assignment.suspects() - 1);
        }
    }

    private void park(KeyQueue queue, Duration wait) {
        try {
            timer.schedule(() -> unpark(queue), wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing: {} does not come again", queue, closing);
        }
    }

    private void unpark(KeyQueue queue) {
        lock.lock();
        try {
            if (!stopped && !queue.assignment().isRevoked()) {
                lines.add(queue);
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
