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

    /** Null is passed over by greatest. */
    private static final String DUE = "greatest(%1$s.not_before, %1$s.created_at)";

    private static final String WAITS =
            "(coalesce(%1$s.claimed_until >= clock_timestamp(), false) OR %1$s.hold IS NOT NULL)";

    private static final OverdueTable.Words WORDS = new OverdueTable.Words(
            "event_id",
            "(%1$s.subscription, %1$s.source, %1$s.ordering_key)",
            DUE,
            WAITS,
            "r.subscription = ? AND r.source = ? AND r.place IS NOT NULL AND r.raw_offset IS NOT NULL");

    private static final String FIND = """
            SELECT r.ctid::text, r.event_id, r.event_name, r.ordering_key, r.raw_partition, r.raw_offset, r.place, r.turn,
                r.status = 'DEAD'
            """;

    private final String table;
    private final OverdueTable overdueRows;

    /**
     * Of one subscription.
     *
     * @param source whose events, as {@code ce_source} says
     */
    public OverdueDeliveries(TableNames names, String subscription, String source) {
        this.table = names.qualified(TableNames.DELIVERY);
        this.overdueRows = new OverdueTable(table, WORDS, List.of(subscription, source));
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
     * @param but what is left out
     */
    public Seen count(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        return overdueRows.count(connection, overdue, but, waiting);
    }

    /**
     * Hands them on, up to a thousand at a time and those in the order of their places.
     *
     * @param overdue by how much
     * @param but what is left out
     */
    public void each(Connection connection, Duration overdue, InHand but, Waiting waiting, Taker taker)
            throws SQLException {
        Sweep.over(connection, table, waiting, stretch -> {
            List<Row> found = new ArrayList<>();
            String last = "";
            try (PreparedStatement statement =
                            overdueRows.prepared(connection, FIND, OverdueTable.SOME, stretch, overdue, but);
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
}
