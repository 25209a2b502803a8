package io.tailrace.benchmarks.contender;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What many write themselves: threads that each take the oldest job that is due and that nobody has, do it, mark it as done and commit;
 * that come again at once while there are some, and after a while when there are none. With one thread jobs are done in their order.
 */
final class SkipLockedPipeline implements Pipeline {

    private static final String TAKE = """
            SELECT id, key, payload FROM job WHERE done_at IS NULL AND run_at <= now()
                ORDER BY run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED""";

    private static final String DONE = "UPDATE job SET done_at = clock_timestamp() WHERE id = ?";

    private static final String LATER =
            "UPDATE job SET attempts = attempts + 1, run_at = clock_timestamp() + interval '10 seconds' WHERE id = ?";

    private final String jdbcUrl;
    private final long pollMillis;
    private final CommandWork work = new CommandWork(Clock.systemUTC());
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicLong done = new AtomicLong();
    private final AtomicReference<@Nullable SQLException> failure = new AtomicReference<>();

    private SkipLockedPipeline(String jdbcUrl, PeerSettings settings) {
        this.jdbcUrl = jdbcUrl;
        this.pollMillis = settings.poll().toMillis();
        for (int i = 1; i <= settings.threads(); i++) {
            threads.add(new Thread(this::serve, "skip-locked-" + i));
        }
    }

    static SkipLockedPipeline of(Servers servers, Site site, Map<String, String> settings) {
        return new SkipLockedPipeline(servers.jdbcUrl(site), PeerSettings.of(settings));
    }

    @Override
    public void start() {
        threads.forEach(Thread::start);
    }

    @Override
    public long delivered() {
        SQLException failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the poller has ended", failed);
        }
        return done.get();
    }

    @Override
    public void close() {
        stopping.countDown();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            connection.setAutoCommit(false);
            try (PreparedStatement take = connection.prepareStatement(TAKE);
                    PreparedStatement doneWith = connection.prepareStatement(DONE);
                    PreparedStatement later = connection.prepareStatement(LATER)) {
                while (stopping.getCount() > 0) {
                    if (!one(connection, take, doneWith, later)) {
                        var unused = stopping.await(pollMillis, TimeUnit.MILLISECONDS);
                    }
                }
            }
        } catch (SQLException e) {
            failure.compareAndSet(null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** False when there was none. */
    private boolean one(
            Connection connection, PreparedStatement take, PreparedStatement doneWith, PreparedStatement later)
            throws SQLException {
        try (ResultSet job = take.executeQuery()) {
            if (!job.next()) {
                connection.rollback();
                return false;
            }
            long id = job.getLong(1);
            try {
                work.run(connection, job.getBytes(3), job.getString(2));
            } catch (CommandWork.Failed failed) {
                // Nothing was written; the row is still ours.
                later.setLong(1, id);
                later.executeUpdate();
                connection.commit();
                return true;
            }
            doneWith.setLong(1, id);
            doneWith.executeUpdate();
            connection.commit();
            done.incrementAndGet();
            return true;
        }
    }
}
