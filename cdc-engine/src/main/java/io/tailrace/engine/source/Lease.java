package io.tailrace.engine.source;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to stream from a slot: a session advisory lock on the source database. Whoever has not got it touches nothing, neither
 * the slot nor the transactional id, because {@code initTransactions()} without it would fence the healthy holder.
 *
 * <p>The lock ends with its session, and the session ends by itself: the server drops it when it has been idle for {@link
 * #IDLE_LIMIT}, and the holder speaks every {@link #PING_INTERVAL}. So a holder that is stopped, or whose network is gone, loses the
 * lease within {@link #IDLE_LIMIT} although its TCP connection still looks alive to the server. When it wakes up it finds out at the
 * next ping; until then it can do no harm, because its successor has fenced its producer and ended its stream.
 *
 * <p>Thread-safe.
 */
public final class Lease implements AutoCloseable {

    /** A holder that has been silent for so long has lost it. */
    public static final Duration IDLE_LIMIT = Duration.ofSeconds(15);

    /** Several of them fit into the limit, so that one slow answer costs nothing. */
    static final Duration PING_INTERVAL = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    private final Connection connection;
    private final ScheduledExecutorService pinger;
    private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

    private Lease(Connection connection, String slot) {
        this.connection = connection;
        this.pinger = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "tailrace-lease-" + slot);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Takes the lease of a slot if nobody has it.
     *
     * @return the lease, or empty when another session holds it
     * @throws SQLException when the database cannot be asked
     */
    public static Optional<Lease> tryTake(SourceConnections connections, String slot) throws SQLException {
        Connection connection = connections.sql("tailrace-lease-" + slot);
        boolean taken = false;
        try {
            try (Statement statement = connection.createStatement()) {
                // Both before the lock: there must be no moment at which it is held without an end.
                statement.execute("SET idle_session_timeout = " + IDLE_LIMIT.toMillis());
                statement.execute("SET statement_timeout = 10000");
            }
            taken = lock(connection, key(slot));
            if (!taken) {
                return Optional.empty();
            }
            Lease lease = new Lease(connection, slot);
            long millis = PING_INTERVAL.toMillis();
            var unused = lease.pinger.scheduleWithFixedDelay(lease::ping, millis, millis, TimeUnit.MILLISECONDS);
            return Optional.of(lease);
        } finally {
            if (!taken) {
                connection.close();
            }
        }
    }

    /** Completes with the cause when the lease is lost; never when it is given back. */
    public CompletionStage<Throwable> lost() {
        return lost;
    }

    /**
     * Asks the database whether it is still ours; for the moment before something that would disturb another holder.
     *
     * @throws SQLException when it is not, or nobody answers
     */
    public void confirm() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // The session is the lease: if the server ended it, this fails.
            statement.execute("SELECT 1");
        }
    }

    /** Gives it back; the lock is free when this returns, or soon after if the database does not answer. */
    @Override
    public void close() {
        pinger.shutdownNow();
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("The lease's connection did not close in order", e);
        }
    }

    /** The lock's number: the same for every engine of the slot. Advisory locks, like slots, belong to one database. */
    static long key(String slot) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(("tailrace engine lease " + slot).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private void ping() {
        try {
            confirm();
        } catch (SQLException e) {
            if (!pinger.isShutdown()) {
                lost.complete(e);
            }
            pinger.shutdown();
        }
    }

    private static boolean lock(Connection connection, long key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_try_advisory_lock(?)")) {
            statement.setLong(1, key);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }
}
