package io.tailrace.proof.router;

import io.tailrace.proof.load.Writers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writers side by side, each with its own connection and its own ordering keys, at a pace that one router keeps up with. Most rows go to a
 * destination at once; some fail at first, some are poison, some wait for a topic that is away; some are commands, due now, soon
 * or long after. Thread-safe.
 */
final class Load implements AutoCloseable {

    private static final int WRITERS = 4;
    private static final int KEYS_EACH = 15;
    private static final int MOST_ROWS = 8;
    private static final int LONGEST_PAUSE_MS = 100;
    private static final int LONGEST_RUN_AHEAD_MS = 4_000;
    private static final long FAR_AHEAD_MS = TimeUnit.HOURS.toMillis(6);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String jdbcUrl;
    private final long seed;
    private final Writers writers = new Writers(PATIENCE);

    Load(String jdbcUrl, long seed) {
        this.jdbcUrl = jdbcUrl;
        this.seed = seed;
    }

    /** Begins. */
    Load start() {
        writers.start(WRITERS, this::write);
        return this;
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
        Inserts inserts = new Inserts(writer);
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            connection.setAutoCommit(false);
            while (!writers.isEnding()) {
                for (int rows = 1 + random.nextInt(MOST_ROWS); rows > 0; rows--) {
                    row(connection, inserts, random, writer + "/" + random.nextInt(KEYS_EACH));
                }
                if (random.nextInt(12) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONGEST_PAUSE_MS)));
            }
        } catch (SQLException | RuntimeException e) {
            writers.failed(e);
        }
    }

    private static void row(Connection connection, Inserts inserts, Random random, String key) throws SQLException {
        int choice = random.nextInt(200);
        if (choice < 138) {
            inserts.event(connection, Names.SHOP, key, false);
        } else if (choice < 150) {
            inserts.event(connection, Names.SHOP, null, false);
        } else if (choice < 164) {
            inserts.event(connection, Names.SMALL, key, random.nextInt(8) == 0);
        } else if (choice < 176) {
            // Keys of their own: the others are to flow.
            inserts.event(connection, Names.AWAY, random.nextBoolean() ? "away/" + key : null, false);
        } else if (choice < 198) {
            command(connection, inserts, random, key);
        } else if (choice < 199) {
            inserts.event(connection, Names.VOID, key, false);
        } else {
            inserts.event(connection, Names.NO_NAME, key, false);
        }
    }

    /** Those of a key are due at once: only then is the order in which they become due that of their commits. */
    private static void command(Connection connection, Inserts inserts, Random random, String key) throws SQLException {
        int choice = random.nextInt(20);
        if (choice < 10) {
            inserts.command(connection, key, 0, Work.Job.WELL);
        } else if (choice < 12) {
            inserts.command(connection, key, 0, new Work.Job(1 + random.nextInt(2), false));
        } else if (choice < 19) {
            inserts.command(connection, null, 1 + random.nextInt(LONGEST_RUN_AHEAD_MS), Work.Job.WELL);
        } else if (random.nextBoolean()) {
            inserts.command(connection, key, 0, new Work.Job(0, true));
        } else {
            inserts.command(connection, null, FAR_AHEAD_MS, Work.Job.WELL);
        }
    }
}
