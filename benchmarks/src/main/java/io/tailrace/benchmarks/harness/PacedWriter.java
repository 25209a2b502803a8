package io.tailrace.benchmarks.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An application that commits rows at a steady rate over several connections, and remembers when each was committed: the moment at
 * which the commit returned. A transaction that is late is made at once, and none is left out.
 */
final class PacedWriter {

    private static final int CONNECTIONS = 8;

    private final String jdbcUrl;
    private final String write;
    private final int rowsPerTransaction;
    private final double nanosPerTransaction;
    private final Clock clock;
    private final AtomicLongArray commitMicros;
    private final AtomicLong nextTransaction = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private final long began = System.nanoTime();
    private volatile boolean stopping;
    private volatile @Nullable SQLException failure;

    /**
     * A writer that has not begun.
     *
     * @param write statement of the rows from its first parameter to its second
     * @param mostRows that it will ever write
     */
    PacedWriter(String jdbcUrl, String write, Shape shape, int rowsPerSecond, int mostRows, Clock clock) {
        this.jdbcUrl = jdbcUrl;
        this.write = write;
        this.rowsPerTransaction = shape.rowsPerTransaction();
        this.nanosPerTransaction = 1e9 * rowsPerTransaction / rowsPerSecond;
        this.clock = clock;
        this.commitMicros = new AtomicLongArray(mostRows);
    }

    void start() {
        for (int i = 0; i < CONNECTIONS; i++) {
            Thread thread = new Thread(this::write, "writer-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    /** Rows up to this number are committed or about to be. */
    int next() {
        return Math.toIntExact(nextTransaction.get() * rowsPerTransaction);
    }

    /** When a row was committed, in microseconds since the epoch. */
    long commitMicros(int row) {
        return commitMicros.get(row);
    }

    /** Ends what is under way and begins nothing more; returns how many rows there are. */
    int stop() throws InterruptedException {
        stopping = true;
        for (Thread thread : threads) {
            thread.join();
        }
        SQLException failed = failure;
        if (failed != null) {
            throw new IllegalStateException("rows could not be written", failed);
        }
        return next();
    }

    private void write() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                PreparedStatement statement = connection.prepareStatement(write)) {
            connection.setAutoCommit(false);
            while (!stopping) {
                long transaction = nextTransaction.getAndIncrement();
                awaitTurn(transaction);
                long first = transaction * rowsPerTransaction;
                statement.setLong(1, first);
                statement.setLong(2, first + rowsPerTransaction - 1);
                statement.execute();
                connection.commit();
                long now = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
                for (int i = 0; i < rowsPerTransaction; i++) {
                    commitMicros.set(Math.toIntExact(first + i), now);
                }
            }
        } catch (SQLException e) {
            failure = e;
            stopping = true;
        }
    }

    private void awaitTurn(long transaction) {
        long due = began + (long) (transaction * nanosPerTransaction);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
