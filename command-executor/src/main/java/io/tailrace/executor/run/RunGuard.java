package io.tailrace.executor.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
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
 * takes no notice is ended by the limits of its transaction, five seconds later. Thread-safe.
 */
public final class RunGuard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunGuard.class);

    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;

    /** Starts its timer. */
    public RunGuard() {
        // Two, because a cancel speaks to the server and may have to wait for it.
        this.timer = new ScheduledThreadPoolExecutor(2, task -> {
            Thread thread = new Thread(task, "tailrace-executor-guard");
            thread.setDaemon(true);
            return thread;
        });
        this.timer.setRemoveOnCancelPolicy(true);
    }

    /** Why a run was ended from outside. */
    enum Ended {
        NOT,
        TIMEOUT,
        STOP
    }

    /** Watches the calling thread until {@link Watched#finish}. */
    Watched watch(Connection connection, Duration timeout) {
        Watched run = new Watched(Thread.currentThread(), connection);
        watched.add(run);
        try {
            run.alarm = timer.schedule(() -> run.end(Ended.TIMEOUT), timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            run.end(Ended.STOP);
        }
        return run;
    }

    /** Ends every run that is under way. */
    public void stopAll() {
        watched.forEach(run -> run.end(Ended.STOP));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** One run. */
    final class Watched {

        private final Thread thread;
        private final Connection connection;
        private volatile @Nullable Future<?> alarm;
        private boolean over;
        private Ended ended = Ended.NOT;

        private Watched(Thread thread, Connection connection) {
            this.thread = thread;
            this.connection = connection;
        }

        private synchronized void end(Ended why) {
            if (over || ended != Ended.NOT) {
                return;
            }
            ended = why;
            thread.interrupt();
            try {
                // Inside the lock: finish() waits until the cancel has arrived, so that it cannot hit a statement of
                // ours.
                connection.unwrap(PGConnection.class).cancelQuery();
            } catch (SQLException unreachable) {
                LOG.debug("Cancel did not reach the server", unreachable);
            }
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
                // An interrupt that the handler did not see must not be seen by what comes after it.
                Thread.interrupted();
                return ended;
            }
        }
    }
}
