package io.tailrace.executor.settle;

import io.tailrace.executor.claim.RowTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes on dead rows that their {@code dead} answer was acknowledged. Thread-safe. An answer that a crash prevents is not lost: the
 * offset has not passed its record, and the next owner of the partition finds the row dead and answers again. A note that is lost stays
 * null; the upkeep of the source then has the letter written once more, under the same key.
 */
public final class Announcer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    private static final Duration EVERY = Duration.ofMillis(100);

    /** More than this while the database is away are not noted. */
    private static final int MOST = 10_000;

    private record Dead(UUID id, int turn) {}

    private final DataSource pool;
    private final RowTable table;
    private final ScheduledExecutorService timer;
    private final List<Dead> pending = new ArrayList<>();

    /** Starts its timer. */
    public Announcer(DataSource pool, RowTable table) {
        this.pool = pool;
        this.table = table;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tailrace-executor-announcer");
            thread.setDaemon(true);
            return thread;
        });
        timer.scheduleWithFixedDelay(this::flush, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The answer of a row that is dead at this turn was acknowledged. */
    public void announced(UUID id, int turn) {
        synchronized (pending) {
            if (pending.size() < MOST) {
                pending.add(new Dead(id, turn));
            }
        }
    }

    @Override
    public void close() {
        timer.shutdown();
        try {
            timer.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Otherwise the timer is still at it: two would take the same notes off the list twice.
        if (timer.isTerminated()) {
            flush();
        }
    }

    private void flush() {
        List<Dead> batch;
        synchronized (pending) {
            batch = List.copyOf(pending);
        }
        if (batch.isEmpty()) {
            return;
        }
        try (Connection connection = pool.getConnection()) {
            table.announced(
                    connection,
                    batch.stream().map(Dead::id).toList(),
                    batch.stream().map(Dead::turn).toList());
            connection.commit();
            synchronized (pending) {
                pending.subList(0, batch.size()).clear();
            }
        } catch (SQLException | RuntimeException later) {
            LOG.debug("Announcements are noted later: {}", batch.size(), later);
        }
    }
}
