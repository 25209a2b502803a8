package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Events that one subscription should have handled long ago, and dead ones of which nobody knows that their letter was written. The rows are
 * only read.
 */
public final class OverdueDeliveries {

    /**
     * Behind a row that waits rightly, or waited until a moment ago, or at which the key stops, all of its key wait rightly. What stands behind an overdue one is
     * sent after it: the lane that would have released it is gone too. Index of the inner look: (subscription, source, ordering_key, place).
     */
    private static final String IS_OVERDUE = """
            (d.status = 'PENDING' AND d.hold IS NULL AND greatest(d.not_before, d.created_at) < %2$s
                AND (d.claimed_until IS NULL OR d.claimed_until < clock_timestamp())
                AND NOT EXISTS (SELECT FROM %1$s e
                    WHERE e.subscription = d.subscription AND e.source = d.source AND e.ordering_key = d.ordering_key
                        AND e.place < d.place AND e.place IS NOT NULL AND e.status IN ('PENDING', 'DEAD')
                        AND (e.status = 'PENDING' AND greatest(e.not_before, e.created_at) >= %2$s OR e.status = 'DEAD' AND e.halts))
            OR d.status = 'DEAD' AND d.announced_at IS NULL AND coalesce(d.failed_at, d.created_at) < %2$s)""";

    /** Stated once for a statement, so that it cannot differ between two rows. */
    private static final String LIMIT = "(SELECT statement_timestamp() - ? * interval '1 millisecond')";

    private static final String WHERE = """
            FROM ONLY %1$s d WHERE d.ctid > ?::tid AND d.ctid < ?::tid AND d.subscription = ? AND d.source = ?
                AND d.place IS NOT NULL AND d.raw_offset IS NOT NULL AND %2$s""";

    private static final String COUNT = """
            SELECT count(*) FILTER (WHERE d.status = 'PENDING'), count(*) FILTER (WHERE d.status = 'DEAD'),
                extract(epoch FROM clock_timestamp()
                    - min(greatest(d.not_before, d.created_at)) FILTER (WHERE d.status = 'PENDING'))
            """;

    /** A row that is locked is being run, or changed. */
    private static final String FIND = """
            SELECT d.ctid::text, d.event_id, d.event_name, d.ordering_key, d.raw_partition, d.raw_offset, d.place, d.turn,
                d.status = 'DEAD'
            """;

    private final String table;
    private final String condition;
    private final String subscription;
    private final String source;

    /**
     * Of one subscription.
     *
     * @param source whose events, as {@code ce_source} says
     */
    public OverdueDeliveries(TableNames names, String subscription, String source) {
        this.table = names.qualified(TableNames.DELIVERY);
        this.condition = IS_OVERDUE.formatted(table, LIMIT);
        this.subscription = subscription;
        this.source = source;
    }

    /**
     * One of them.
     *
     * @param name of the event; absent if the row does not say
     * @param rawPartition where the event was captured
     * @param rawOffset where the event was captured
     * @param isDead whether only its letter is missing
     */
    public record Row(
            UUID id,
            @Nullable String name,
            @Nullable String orderingKey,
            int rawPartition,
            long rawOffset,
            Place place,
            int turn,
            boolean isDead) {}

    /** Takes some of them. */
    @FunctionalInterface
    public interface Taker {
        void take(List<Row> rows) throws SQLException;
    }

    /**
     * Counts them.
     *
     * @param overdue by how much
     */
    public Seen count(Connection connection, Duration overdue, Waiting waiting) throws SQLException {
        Seen[] seen = {Seen.NONE};
        Sweep.over(connection, table, waiting, stretch -> {
            try (PreparedStatement statement = prepared(connection, COUNT + WHERE, stretch, overdue);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                seen[0] = seen[0].plus(new Seen(row.getLong(1), row.getLong(2), row.getDouble(3)));
            }
            return Optional.empty();
        });
        return seen[0];
    }

    /**
     * Hands them on, up to a thousand at a time and those in the order of their places.
     *
     * @param overdue by how much
     */
    public void each(Connection connection, Duration overdue, Waiting waiting, Taker taker) throws SQLException {
        String sql = FIND + WHERE + " LIMIT " + Sweep.ROWS + " FOR UPDATE OF d SKIP LOCKED";
        Sweep.over(connection, table, waiting, stretch -> {
            List<Row> found = new ArrayList<>();
            String last = "";
            try (PreparedStatement statement = prepared(connection, sql, stretch, overdue);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    last = rows.getString(1);
                    found.add(row(rows));
                }
            }
            if (!found.isEmpty()) {
                found.sort((one, other) -> one.place().compareTo(other.place()));
                taker.take(found);
            }
            return found.size() == Sweep.ROWS ? Optional.of(last) : Optional.empty();
        });
    }

    private static Row row(ResultSet rows) throws SQLException {
        return new Row(
                Objects.requireNonNull(rows.getObject(2, UUID.class)),
                rows.getString(3),
                rows.getString(4),
                rows.getInt(5),
                rows.getLong(6),
                Place.unpacked(rows.getLong(7)),
                rows.getInt(8),
                rows.getBoolean(9));
    }

    private PreparedStatement prepared(Connection connection, String sql, Stretch stretch, Duration overdue)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql.formatted(stretch.table(), condition));
        statement.setString(1, stretch.after());
        statement.setString(2, stretch.before());
        statement.setString(3, subscription);
        statement.setString(4, source);
        for (int limit = 5; limit <= 7; limit++) {
            statement.setLong(limit, overdue.toMillis());
        }
        return statement;
    }
}
