package io.tailrace.proof.commands;

import io.tailrace.proof.child.Job;
import io.tailrace.proof.child.Job.End;
import io.tailrace.proof.load.Writers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writers side by side, each a session after the other, as an application has them, as many rows as they are allowed, so that
 * executors that start anew all the time keep up. Most commands
 * are due at once and are done at once; some are due later, some fail at first, are put off, or are poison; some come to nothing, and some are
 * cancelled. Thread-safe.
 */
final class Load implements AutoCloseable {

    private static final int WRITERS = 4;
    private static final int KEYS_EACH = 15;
    private static final int MOST_ROWS = 5;
    private static final int LONGEST_PAUSE_MS = 120;
    private static final int RECONNECT_MS = 50;
    private static final int LONGEST_DELAY_MS = 4_000;
    private static final Duration FAR_AHEAD = Duration.ofHours(6);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Begins the keys whose rows are all of one writer and due at once: they are to be done in the order of their commits. */
    private static final String IN_COMMIT_ORDER = "now/";

    private static final String HOT = "hot";

    private final String jdbcUrl;
    private final long seed;
    private final Writers writers = new Writers(PATIENCE);
    private final AtomicLong allowance = new AtomicLong();
    private final AtomicLong rolledBack = new AtomicLong();

    Load(String jdbcUrl, long seed) {
        this.jdbcUrl = jdbcUrl;
        this.seed = seed;
    }

    static boolean isInCommitOrder(@Nullable String key) {
        return key != null && key.startsWith(IN_COMMIT_ORDER);
    }

    /** Starts the writers; they wait until they are allowed rows. */
    Load start() {
        writers.start(WRITERS, this::write);
        return this;
    }

    /** Lets them write so many more rows, one transaction more or less. */
    void allow(int rows) {
        allowance.addAndGet(rows);
    }

    /** Whether they have written what they may. */
    boolean isUsedUp() {
        return allowance.get() <= 0;
    }

    /** Commands whose transactions, or savepoints, were rolled back. */
    long rolledBack() {
        return rolledBack.get();
    }

    /** @throws SQLException what ended a writer that had no reason to end */
    void requireHealthy() throws SQLException {
        writers.requireHealthy();
    }

    /** Every writer ends its transaction. */
    @Override
    public void close() {
        writers.close();
    }

    private void write(int writer) {
        Random random = new Random(seed * WRITERS + writer);
        Writer rows = new Writer(new Scheduler(writer), random, Integer.toString(writer));
        while (!writers.isEnding()) {
            try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
                connection.setAutoCommit(false);
                while (!writers.isEnding()) {
                    if (!isUsedUp()) {
                        rows.transaction(connection);
                    }
                    pause(random.nextInt(LONGEST_PAUSE_MS));
                }
            } catch (SQLException e) {
                if (!isLostConnection(e)) {
                    writers.failed(e);
                    return;
                }
                pause(RECONNECT_MS);
            } catch (RuntimeException e) {
                writers.failed(e);
                return;
            }
        }
    }

    /** 08: the connection; 57P: the server shuts down, crashes or starts. */
    private static boolean isLostConnection(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P"));
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** What one writer writes. */
    private final class Writer {

        private final Scheduler scheduler;
        private final Random random;
        private final String name;
        private final List<UUID> toCancel = new ArrayList<>();

        Writer(Scheduler scheduler, Random random, String name) {
            this.scheduler = scheduler;
            this.random = random;
            this.name = name;
        }

        void transaction(Connection connection) throws SQLException {
            int rows = 1 + random.nextInt(MOST_ROWS);
            for (int i = 0; i < rows; i++) {
                if (random.nextInt(12) == 0) {
                    Savepoint savepoint = connection.setSavepoint();
                    row(connection);
                    connection.rollback(savepoint);
                    rolledBack.incrementAndGet();
                }
                row(connection);
            }
            allowance.addAndGet(-rows);
            if (random.nextInt(10) == 0) {
                connection.rollback();
                rolledBack.addAndGet(rows);
            } else {
                connection.commit();
            }
        }

        private void row(Connection connection) throws SQLException {
            String key = name + "/" + random.nextInt(KEYS_EACH);
            int choice = random.nextInt(200);
            if (choice < 80) {
                scheduler.schedule(connection, IN_COMMIT_ORDER + key, Duration.ZERO, Job.WELL);
            } else if (choice < 96) {
                scheduler.schedule(connection, IN_COMMIT_ORDER + key, Duration.ZERO, failing(1 + random.nextInt(2)));
            } else if (choice < 118) {
                scheduler.schedule(connection, null, Duration.ZERO, random.nextInt(6) == 0 ? failing(1) : Job.WELL);
            } else if (choice < 148) {
                Duration delay = Duration.ofMillis(random.nextInt(LONGEST_DELAY_MS));
                scheduler.schedule(connection, random.nextInt(4) > 0 ? key : null, delay, Job.WELL);
            } else if (choice < 172) {
                scheduler.schedule(connection, HOT, Duration.ZERO, random.nextInt(40) == 0 ? failing(1) : Job.WELL);
            } else if (choice < 180) {
                scheduler.schedule(connection, key, Duration.ZERO, new Job(2, 0, 0, End.WELL));
            } else if (choice < 188) {
                scheduler.schedule(connection, key, Duration.ZERO, new Job(0, 2, random.nextInt(2), End.WELL));
            } else if (choice < 191) {
                End[] poison = {End.REJECTED, End.EXHAUSTED, End.NEVER};
                scheduler.schedule(connection, key, Duration.ZERO, new Job(0, 0, 0, poison[random.nextInt(3)]));
            } else {
                cancelled(connection, key);
            }
        }

        /** Long before it is due, or just when it is. */
        private void cancelled(Connection connection, String key) throws SQLException {
            if (toCancel.size() > 2) {
                scheduler.cancel(connection, toCancel.remove(random.nextInt(toCancel.size())));
            }
            Duration delay = random.nextBoolean() ? FAR_AHEAD : Duration.ofMillis(random.nextInt(2_000));
            toCancel.add(scheduler.schedule(connection, key, delay, Job.WELL));
        }

        private static Job failing(int times) {
            return new Job(0, 0, times, End.WELL);
        }
    }
}
