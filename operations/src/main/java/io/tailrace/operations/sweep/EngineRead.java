package io.tailrace.operations.sweep;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** What of a database its engine has read for certain, by what its slot has confirmed: that is in Kafka. */
public final class EngineRead {

    /** An engine that runs confirms with every heartbeat. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** The snapshot is taken before the position is: whatever it sees had committed in front of the position. */
    private static final String MARK = """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint & 4294967295, pg_current_wal_insert_lsn()::text""";

    private static final String CONFIRMED = """
            SELECT confirmed_flush_lsn >= ?::pg_lsn FROM pg_replication_slots
            WHERE slot_name = ? AND database = current_database()""";

    private final String slot;

    /** @param slot of the engine */
    public EngineRead(String slot) {
        this.slot = Objects.requireNonNull(slot);
    }

    /**
     * A moment, up to which all is read.
     *
     * @param xmin of its snapshot, 32 bits: every transaction older than that had ended
     */
    public record Mark(long xmin) {}

    /**
     * Waits until the engine has read all that has committed by now.
     *
     * @return this moment; empty when that takes too long, when there is no slot, or when a stop comes
     */
    public Optional<Mark> all(Connection connection, Duration patience, Waiting waiting) throws SQLException {
        long xmin;
        String lsn;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(MARK)) {
            row.next();
            xmin = row.getLong(1);
            lsn = row.getString(2);
        }
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isConfirmed(connection, lsn)) {
            if (System.nanoTime() - deadline > 0 || !waiting.forTime(LOOK_AGAIN)) {
                return Optional.empty();
            }
        }
        return Optional.of(new Mark(xmin));
    }

    private boolean isConfirmed(Connection connection, String lsn) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CONFIRMED)) {
            statement.setString(1, lsn);
            statement.setString(2, slot);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
