package io.tailrace.benchmarks.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What handlers wrote: one row for each command that is done. Not thread-safe. */
final class Effects implements AutoCloseable {

    static final long PATIENCE_SECONDS = 300;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Connection connection;

    Effects(String jdbcUrl) throws SQLException {
        this.connection = DriverManager.getConnection(jdbcUrl);
    }

    /** Waits until each of the commands {@code from} to {@code to} - 1 has one. */
    void await(int from, int to) throws SQLException {
        long began = System.nanoTime();
        while (count(from, to) < to - from) {
            if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("%d commands of %d have run".formatted(count(from, to), to - from));
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Commands of these that have run. Nothing is counted before there can be so many: counting costs the one who is measured. */
    private long count(int from, int to) throws SQLException {
        return number("SELECT last_value FROM effect_seq_seq WHERE last_value >= ? AND ? > 0", to - from, to) == 0
                ? 0
                : number("SELECT count(DISTINCT number) FROM effect WHERE number >= ? AND number < ?", from, to);
    }

    /** Effects beyond the one that each command is to have. */
    int doubled() throws SQLException {
        return (int) number(
                "SELECT count(*) - count(DISTINCT number) FROM effect WHERE number >= ? AND number < ?",
                0,
                Integer.MAX_VALUE);
    }

    /** Of these commands, those that came after a later one of their key. */
    int outOfOrder(int from, int to) throws SQLException {
        return (int) number("""
                SELECT count(*) FROM (
                    SELECT number, max(number) OVER (PARTITION BY key ORDER BY seq) AS latest FROM effect
                        WHERE number >= ? AND number < ?) run
                    WHERE number < latest""", from, to);
    }

    /** When the last of these commands wrote its effect, in microseconds since the epoch. */
    long lastMicros(int from, int to) throws SQLException {
        return number("""
                SELECT (EXTRACT(epoch FROM max(written_at)) * 1000000)::bigint FROM effect
                    WHERE number >= ? AND number < ?""", from, to);
    }

    /** Notes when these commands began first, {@code from} as number 0. */
    void note(Arrivals arrivals, int from, int to) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT number, began_micros FROM effect WHERE number >= ? AND number < ?")) {
            statement.setLong(1, from);
            statement.setLong(2, to);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    arrivals.note((int) rows.getLong(1) - from, rows.getLong(2));
                }
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private long number(String sql, long from, long to) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, from);
            statement.setLong(2, to);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }
}
