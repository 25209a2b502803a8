package io.tailrace.engine.source;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the slot on a beat, whoever streams from it and also while nobody does: log that piles up is seen exactly when the engine
 * cannot stream. One short query over a connection that is kept between beats; when the database does not answer it is given up,
 * nothing is known, and the next beat tries again. Takes no lock and changes nothing.
 *
 * <p>A thread of its own; thread-safe.
 */
public final class SlotWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlotWatch.class);

    /** More often tells nothing new. */
    private static final Duration SHORTEST_BEAT = Duration.ofSeconds(1);

    // safe_wal_size and invalidation came and changed with versions: to_jsonb reads what there is. A standby has no
    // current LSN.
    private static final String QUERY = """
            SELECT (server.lsn - '0/0')::bigint AS end_lsn,
                   coalesce(pg_wal_lsn_diff(server.lsn, s.restart_lsn), 0)::bigint AS retained,
                   coalesce(pg_wal_lsn_diff(server.lsn, s.confirmed_flush_lsn), 0)::bigint AS unconfirmed,
                   s.safe_wal_size,
                   coalesce(s.wal_status, 'lost') AS wal_status,
                   s.active,
                   coalesce(a.wait_event_type IN ('Client', 'Activity'), false) AS waits,
                   to_jsonb(s) ->> 'failover' AS failover,
                   (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS server_millis
              FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid,
                   (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                                ELSE pg_current_wal_lsn() END AS lsn) server
             WHERE s.slot_name = ?
            """;

    private final SourceConnections connections;
    private final String slot;
    private final Clock clock;
    private final Consumer<Optional<SlotFigures>> told;
    private final ScheduledExecutorService beat;
    private final Object telling = new Object();

    // Of the beat's thread, until the watch is closed.
    private volatile @Nullable Connection connection;
    private String status = "reserved";

    private boolean failoverMissing;

    /**
     * A watch that has not begun.
     *
     * @param told is given what was seen on each beat, or nothing when there is no such slot or nobody answers
     */
    public SlotWatch(SourceConnections connections, String slot, Clock clock, Consumer<Optional<SlotFigures>> told) {
        this.connections = Objects.requireNonNull(connections);
        this.slot = Objects.requireNonNull(slot);
        this.clock = Objects.requireNonNull(clock);
        this.told = Objects.requireNonNull(told);
        this.beat = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "tailrace-watch-" + slot);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Begins, with the first look at once. */
    public void start(Duration interval) {
        Duration pause = interval.compareTo(SHORTEST_BEAT) < 0 ? SHORTEST_BEAT : interval;
        var unused = beat.scheduleWithFixedDelay(this::look, 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends; a look that is under way ends with the connections. */
    @Override
    public void close() {
        beat.shutdownNow();
        drop();
        // What is known ages from here on. A look that is under way must not have the last word.
        synchronized (telling) {
            told.accept(Optional.empty());
        }
    }

    private void look() {
        Optional<SlotFigures> seen = Optional.empty();
        try {
            seen = ask();
        } catch (SQLException notNow) {
            LOG.debug("The slot cannot be looked at now: slot={}", slot, notNow);
            drop();
        } catch (RuntimeException bug) {
            // What a scheduled task throws ends it without a word.
            LOG.warn("The watch of the slot failed: slot={}", slot, bug);
            drop();
        }
        synchronized (telling) {
            if (!beat.isShutdown()) {
                seen.ifPresent(this::edges);
                told.accept(seen);
            }
        }
    }

    private Optional<SlotFigures> ask() throws SQLException {
        Connection kept = connection;
        if (kept == null) {
            kept = connections.sql("tailrace-watch-" + slot);
            connection = kept;
        }
        Instant asked = clock.instant();
        try (PreparedStatement statement = kept.prepareStatement(QUERY)) {
            statement.setString(1, slot);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                // Halfway through the question is as good a guess as there is of when the server looked at its clock.
                Duration travel = Duration.between(asked, clock.instant());
                Instant here = asked.plus(travel.dividedBy(2));
                long safe = row.getLong("safe_wal_size");
                Optional<Long> safeBytes = row.wasNull() ? Optional.empty() : Optional.of(safe);
                return Optional.of(new SlotFigures(
                        row.getLong("end_lsn"),
                        row.getLong("retained"),
                        row.getLong("unconfirmed"),
                        safeBytes,
                        row.getString("wal_status"),
                        row.getBoolean("active"),
                        row.getBoolean("waits"),
                        Optional.ofNullable(row.getString("failover")).map(Boolean::valueOf),
                        Duration.between(here, Instant.ofEpochMilli(row.getLong("server_millis")))));
            }
        }
    }

    private void edges(SlotFigures seen) {
        if (!seen.walStatus().equals(status)) {
            status = seen.walStatus();
            switch (status) {
                case "unreserved" ->
                    LOG.error(
                            "The server will throw away log that slot {} has not read, at its next checkpoint: retainedBytes={}."
                                    + " Raise max_slot_wal_keep_size now, or bring the engine on",
                            slot,
                            seen.retainedBytes());
                case "lost" -> LOG.error("Slot {} is lost: the server has thrown away log that was not read", slot);
                default -> LOG.info("Slot {} is {}: retainedBytes={}", slot, status, seen.retainedBytes());
            }
        }
        boolean missing = seen.failover().filter(failover -> !failover).isPresent();
        if (missing && !failoverMissing) {
            LOG.warn(
                    "Slot {} is no failover slot: when a standby is promoted it is gone, and rows have to be published again."
                            + " If there is a standby, stop the engine and run over a replication connection:"
                            + " ALTER_REPLICATION_SLOT {} ( FAILOVER true )",
                    slot,
                    slot);
        }
        failoverMissing = missing;
    }

    private void drop() {
        Connection kept = connection;
        connection = null;
        if (kept != null) {
            try {
                kept.close();
            } catch (SQLException e) {
                LOG.debug("The watch's connection did not close in order", e);
            }
        }
    }
}
