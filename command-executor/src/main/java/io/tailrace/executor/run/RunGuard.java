package io.tailrace.executor.run;

import io.tailrace.contract.Health;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs that take too long, and all of them at a stop: interrupts the thread and cancels the statement it waits for. A handler that
 * takes no notice is ended by the limits of its transaction, five seconds later; its thread is not, and that is said. Thread-safe.
 */
public final class RunGuard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunGuard.class);

    /** A run that goes on for so long after it was ended takes no notice of it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;

    /** Apart from the timer: what it does speaks to the database, and an alarm must not wait for that. Has no thread until there is work. */
    private final ScheduledThreadPoolExecutor renewals;

    private volatile boolean stopped;

    /** Starts its timer. */
    public RunGuard() {
        // Two, because a cancel speaks to the server and may have to wait for it.
        this.timer = daemons("tailrace-executor-guard");
        this.renewals = daemons("tailrace-executor-lease");
    }

    private static ScheduledThreadPoolExecutor daemons(String name) {
        ScheduledThreadPoolExecutor two = new ScheduledThreadPoolExecutor(2, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        two.setRemoveOnCancelPolicy(true);
        return two;
    }

    /** Why a run was ended from outside. */
    enum Ended {
        NOT,
        TIMEOUT,
        STOP,
        /** Another worker may have its row. */
        FENCED
    }

    /**
     * Watches the calling thread until {@link Watched#finish}.
     *
     * @param connection whose statement is cancelled too; null without one
     * @param row whose run it is
     * @param name of that row
     */
    Watched watch(@Nullable Connection connection, Duration timeout, UUID row, String name) {
        Watched run = new Watched(Thread.currentThread(), connection, row, name);
        watched.add(run);
        try {
            run.alarm = timer.schedule(() -> run.end(Ended.TIMEOUT), timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            run.end(Ended.STOP);
        }
        // After it can be found: one of the two sees the other.
        if (stopped) {
            run.end(Ended.STOP);
        }
        return run;
    }

    /** Does something beside a run, again and again, until that is cancelled. What it throws ends it. */
    Future<?> beside(Duration pause, Runnable work) {
        return renewals.scheduleWithFixedDelay(work, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs that take no notice of their timeout, each of which has a worker. */
    public int outlasting() {
        return runsThatOutlast().size();
    }

    /** Ready, unless a run takes no notice of its timeout: as long as it does, what is behind it waits, and only a restart frees its worker. */
    public Health health() {
        List<Watched> runs = runsThatOutlast();
        return runs.isEmpty()
                ? Health.ready()
                : new Health(
                        Health.State.WAITING,
                        "a run goes on after its timeout, its handler takes no notice of the interrupt: rowId=%s name=%s%s"
                                .formatted(
                                        runs.get(0).row,
                                        runs.get(0).name,
                                        runs.size() == 1 ? "" : ", and %d more".formatted(runs.size() - 1)));
    }

    private List<Watched> runsThatOutlast() {
        return watched.stream().filter(Watched::isOutlasting).toList();
    }

    /** Ends every run that is under way, and those that begin all the same. */
    public void stopAll() {
        stopped = true;
        watched.forEach(run -> run.end(Ended.STOP));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        renewals.shutdownNow();
    }

    /** One run. */
    final class Watched {

        private final Thread thread;
        private final @Nullable Connection connection;
        private final UUID row;
        private final String name;
        private volatile @Nullable Future<?> alarm;
        private boolean over;

        /** Volatile for whoever asks how it is: a cancel that hangs has the lock. Changes under it. */
        private volatile boolean outlasting;

        private Ended ended = Ended.NOT;

        private Watched(Thread thread, @Nullable Connection connection, UUID row, String name) {
            this.thread = thread;
            this.connection = connection;
            this.row = row;
            this.name = name;
        }

        /** Another worker may have its row. */
        void fence() {
            end(Ended.FENCED);
        }

        private synchronized void end(Ended why) {
            if (over || ended != Ended.NOT) {
                return;
            }
            ended = why;
            thread.interrupt();
            if (why == Ended.TIMEOUT) {
                watchOn();
            }
            if (connection == null) {
                return;
            }
            try {
                // Inside the lock: finish() waits until the cancel has arrived, so that it cannot hit a statement of
                // ours.
                connection.unwrap(PGConnection.class).cancelQuery();
            } catch (SQLException unreachable) {
                LOG.debug("Cancel did not reach the server", unreachable);
            }
        }

        private void watchOn() {
            try {
                alarm = timer.schedule(this::outlasts, GRACE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closing) {
                LOG.debug("Closing: nobody waits for this run any more: rowId={}", row, closing);
            }
        }

        private synchronized void outlasts() {
            if (over) {
                return;
            }
            outlasting = true;
            LOG.warn(
                    "A run goes on {} s after its timeout, its handler takes no notice of the interrupt; until it returns, its worker"
                            + " and what is behind it wait: rowId={} name={}",
                    GRACE.toSeconds(),
                    row,
                    name);
        }

        /** Whether it takes no notice of its timeout. */
        boolean isOutlasting() {
            return outlasting;
        }

        /** The run is over: from here on nothing interrupts this thread. Says why it ended. */
        Ended finish() {
            watched.remove(this);
            Future<?> pending = alarm;
            if (pending != null) {
                pending.cancel(false);
            }
            synchronized (this) {
                over = true;
                if (outlasting) {
                    outlasting = false;
                    LOG.info("The run that went on after its timeout has returned: rowId={} name={}", row, name);
                }
                // An interrupt that the handler did not see must not be seen by what comes after it.
                Thread.interrupted();
                return ended;
            }
        }
    }
}
