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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
        long millis = PING_INTERVAL.toMillis();
        var unused = pinger.scheduleWithFixedDelay(this::ping, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * One who asks for the lease, again and again, over one session: a standby may ask often without a new session each time. It
     * does not wait in the server's queue for the lock, because a statement that waits holds back vacuum. Used by one thread.
     */
    public static final class Candidate implements AutoCloseable {

        private final SourceConnections connections;
        private final String slot;
        private @Nullable Connection kept;

        /** A candidate that has not asked yet. */
        public Candidate(SourceConnections connections, String slot) {
            this.connections = Objects.requireNonNull(connections);
            this.slot = Objects.requireNonNull(slot);
        }

        /**
         * Takes the lease if nobody has it.
         *
         * @return the lease, or empty when another session holds it
         * @throws SQLException when the database cannot be asked
         */
        public Optional<Lease> tryTake() throws SQLException {
            Connection session = kept;
            if (session != null) {
                try {
                    return tryTake(session);
                } catch (SQLException ended) {
                    // One that stood still for a while has lost its session; that says nothing of the server.
                    LOG.debug("A candidate's session has ended: slot={}", slot, ended);
                    close();
                }
            }
            session = session(connections, slot);
            kept = session;
            try {
                return tryTake(session);
            } catch (SQLException e) {
                close();
                throw e;
            }
        }

        @Override
        public void close() {
            Connection session = kept;
            kept = null;
            if (session != null) {
                closeQuietly(session);
            }
        }

        private Optional<Lease> tryTake(Connection session) throws SQLException {
            if (!lock(session, key(slot))) {
                return Optional.empty();
            }
            // The session is the lease's from here on, and is given back last, when all else has stopped.
            kept = null;
            connections.keep(session);
            return Optional.of(new Lease(session, slot));
        }
    }

    /** Who holds the lease of a slot, in words; empty when nobody does, or when this role may not see it. */
    public static Optional<String> holder(SourceConnections connections, String slot) throws SQLException {
        String query = """
                SELECT a.pid, coalesce(host(a.client_addr) || ':' || a.client_port, 'a local socket') AS client, a.backend_start
                  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                 WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                   AND l.classid::bigint << 32 | l.objid::bigint = ?
                """;
        try (Connection connection = connections.sql("tailrace-lease-" + slot);
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setLong(1, key(slot));
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of("PostgreSQL backend %d, a client at %s, connected since %s"
                                .formatted(row.getInt("pid"), row.getString("client"), row.getString("backend_start")))
                        : Optional.empty();
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
        closeQuietly(connection);
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

    private static Connection session(SourceConnections connections, String slot) throws SQLException {
        Connection session = connections.sql("tailrace-lease-" + slot);
        try (Statement statement = session.createStatement()) {
            // Both before the lock: there must be no moment at which it is held without an end.
            statement.execute("SET idle_session_timeout = " + IDLE_LIMIT.toMillis());
            statement.execute("SET statement_timeout = 10000");
            return session;
        } catch (SQLException e) {
            closeQuietly(session);
            throw e;
        }
    }

    private static void closeQuietly(Connection session) {
        try {
            session.close();
        } catch (SQLException e) {
            LOG.debug("A session did not close in order", e);
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
