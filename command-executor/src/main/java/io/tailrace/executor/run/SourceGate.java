package io.tailrace.executor.run;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.StartRefused;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.intake.KeyQueues;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database can be worked on. While it cannot, no row is handed out, so that an outage is one wait and not a failure of
 * every row; it is asked again until it answers. Closed at first: {@link #open} or a probe opens it. Thread-safe.
 */
public final class SourceGate implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SourceGate.class);

    private static final Duration FIRST_PROBE = Duration.ofMillis(100);

    private static final Duration SLOWEST_PROBE = Duration.ofSeconds(2);

    private final String source;
    private final DataSource pool;
    private final RowTable table;
    private final KeyQueues queues;
    private final ExecutorMetrics metrics;
    private final ScheduledThreadPoolExecutor prober;
    private Health health = new Health(State.STARTING, "the database was not asked yet");

    /**
     * Holds the queues.
     *
     * @param source its name, for the log
     */
    public SourceGate(String source, DataSource pool, RowTable table, KeyQueues queues, ExecutorMetrics metrics) {
        this.source = source;
        this.pool = pool;
        this.table = table;
        this.queues = queues;
        this.metrics = metrics;
        this.prober = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tailrace-executor-prober");
            thread.setDaemon(true);
            return thread;
        });
        queues.hold();
    }

    /**
     * Asks the database for the first time. One that is down is asked again in the background.
     *
     * @throws StartRefused when it answers and cannot be worked on as it is
     */
    public void open() {
        try {
            List<String> problems = ask();
            if (!problems.isEmpty()) {
                become(State.FAILED, String.join("; ", problems));
                throw new StartRefused(problems);
            }
            become(State.READY, "");
        } catch (SQLException e) {
            suspect(e);
        }
    }

    /** A connection could not be had. */
    void suspect(SQLException cause) {
        if (become(State.WAITING, "the database is down: " + cause.getMessage())) {
            probeAfter(FIRST_PROBE);
        }
    }

    /** What it knows. */
    public synchronized Health health() {
        return health;
    }

    @Override
    public void close() {
        prober.shutdownNow();
    }

    private List<String> ask() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            List<String> problems = table.problems(connection);
            connection.rollback();
            return problems;
        }
    }

    private void probe(Duration wait) {
        try {
            List<String> problems = ask();
            if (problems.isEmpty()) {
                become(State.READY, "");
            } else {
                // It came back as another one; somebody may yet mend it while we run.
                become(State.WAITING, String.join("; ", problems));
                probeAfter(SLOWEST_PROBE);
            }
        } catch (SQLException | RuntimeException stillDown) {
            Duration next = wait.multipliedBy(2);
            probeAfter(next.compareTo(SLOWEST_PROBE) > 0 ? SLOWEST_PROBE : next);
        }
    }

    private void probeAfter(Duration wait) {
        try {
            prober.schedule(() -> probe(wait), wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing, the database is not asked again", closing);
        }
    }

    /** The one place where the state changes; false if it was that already. */
    private synchronized boolean become(State state, String detail) {
        boolean changes = health.state() != state;
        health = new Health(state, detail);
        if (!changes) {
            return false;
        }
        metrics.sourceDown(state != State.READY);
        if (state == State.READY) {
            LOG.info("Database is there, commands run: source={}", source);
            queues.release();
        } else {
            LOG.warn("No command runs until it is mended, nothing is used: source={} {}", source, detail);
            queues.hold();
        }
        return true;
    }
}
