package io.tailrace.testing;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of the kit over the tables; none of them ends a transaction. Immutable. */
final class Rows {

    private static final String CARRIED =
            "ordering_key, payload::text, payload_binary, content_type, headers::text, tenant_id, user_id, user_roles,"
                    + " correlation_id, causation_id, traceparent";

    private static final String COMMANDS = "SELECT id, command_name, " + CARRIED
            + ", run_at, dedup_key, status, attempts, last_error FROM %s ORDER BY created_at, id";

    private static final String EVENTS =
            "SELECT id, event_name, " + CARRIED + ", event_version FROM %s ORDER BY occurred_at, id";

    /**
     * In the order in which they became due; those of one instant in the order in which they were inserted. What is held by its name, or has a
     * name that is, waits for somebody else.
     */
    private static final String DUE = """
            SELECT c.id, c.command_name, c.ordering_key, c.turn, c.attempts, c.place, greatest(c.run_at, c.not_before) FROM %1$s c
            WHERE c.status = 'PENDING' AND c.hold IS NULL AND greatest(c.run_at, c.not_before) <= coalesce(?, pg_catalog.clock_timestamp())
                AND NOT EXISTS (SELECT FROM %2$s p WHERE p.name = c.command_name)
            ORDER BY greatest(c.run_at, c.not_before), c.created_at, c.id""";

    private static final String ONE = """
            SELECT c.id, c.command_name, c.ordering_key, c.turn, c.attempts, c.place, greatest(c.run_at, c.not_before) FROM %1$s c
            WHERE c.id = ?""";

    private static final String LAST_PLACE = "SELECT max(place) FROM %1$s";

    private static final String NOW = "SELECT pg_catalog.clock_timestamp()";

    private static final String MOVE =
            "UPDATE %1$s SET run_at = run_at + ? * interval '1 microsecond', not_before = not_before + ? * interval '1 microsecond'"
                    + " WHERE id = ?";

    private static final String AGAIN = "SELECT not_before FROM %1$s WHERE id = ?";

    private final String commands;
    private final String events;
    private final String due;
    private final String one;
    private final String lastPlace;
    private final String move;
    private final String again;

    Rows(TableNames names) {
        String table = names.qualified(names.internalCommand());
        this.commands = COMMANDS.formatted(table);
        this.events = EVENTS.formatted(names.qualified(names.outbox()));
        this.due = DUE.formatted(table, names.qualified("pause"));
        this.one = ONE.formatted(table);
        this.lastPlace = LAST_PLACE.formatted(table);
        this.move = MOVE.formatted(table);
        this.again = AGAIN.formatted(table);
    }

    /**
     * A command that may be run.
     *
     * @param at since when, or from when on
     */
    record Due(
            UUID id,
            String name,
            @Nullable String key,
            int turn,
            int attempts,
            @Nullable Place place,
            Instant at) {}

    List<ScheduledCommand> commands(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(commands);
                ResultSet rows = select.executeQuery()) {
            List<ScheduledCommand> all = new ArrayList<>();
            while (rows.next()) {
                all.add(new ScheduledCommand(
                        rows.getObject("id", UUID.class),
                        rows.getString("command_name"),
                        Optional.ofNullable(rows.getString("ordering_key")),
                        instant(rows, "run_at"),
                        origin(rows),
                        Optional.ofNullable(rows.getString("dedup_key")),
                        new ScheduledCommand.State(
                                rows.getString("status"),
                                rows.getInt("attempts"),
                                Optional.ofNullable(rows.getString("last_error"))),
                        carried(rows)));
            }
            return all;
        }
    }

    List<PublishedEvent> events(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(events);
                ResultSet rows = select.executeQuery()) {
            List<PublishedEvent> all = new ArrayList<>();
            while (rows.next()) {
                int stated = rows.getInt("event_version");
                OptionalInt version = rows.wasNull() ? OptionalInt.empty() : OptionalInt.of(stated);
                all.add(new PublishedEvent(
                        rows.getObject("id", UUID.class),
                        rows.getString("event_name"),
                        version,
                        Optional.ofNullable(rows.getString("ordering_key")),
                        origin(rows),
                        carried(rows)));
            }
            return all;
        }
    }

    /** @param by an instant; null for now, by the clock of the database */
    List<Due> due(Connection connection, @Nullable Instant by) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(due)) {
            select.setObject(
                    1, by == null ? null : by.atOffset(ZoneOffset.UTC), java.sql.Types.TIMESTAMP_WITH_TIMEZONE);
            return dueOf(select);
        }
    }

    Optional<Due> one(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(one)) {
            select.setObject(1, id);
            return dueOf(select).stream().findFirst();
        }
    }

    private static List<Due> dueOf(PreparedStatement select) throws SQLException {
        try (ResultSet rows = select.executeQuery()) {
            List<Due> all = new ArrayList<>();
            while (rows.next()) {
                long packed = rows.getLong("place");
                Place place = rows.wasNull() ? null : Place.unpacked(packed);
                all.add(new Due(
                        rows.getObject("id", UUID.class),
                        rows.getString("command_name"),
                        rows.getString("ordering_key"),
                        rows.getInt("turn"),
                        rows.getInt("attempts"),
                        place,
                        instant(rows, "greatest")));
            }
            return all;
        }
    }

    /** That of no row yet. */
    Place nextPlace(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(lastPlace);
                ResultSet row = select.executeQuery()) {
            row.next();
            long last = row.getLong(1);
            return Place.unpacked(row.wasNull() ? 0 : last + 1);
        }
    }

    /** The true one, of the database. */
    Instant now(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(NOW);
                ResultSet row = select.executeQuery()) {
            row.next();
            return instant(row, "clock_timestamp");
        }
    }

    /** Moves when a command is due, and due again. */
    void move(Connection connection, UUID id, Duration by) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(move)) {
            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(by));
            update.setLong(1, micros);
            update.setLong(2, micros);
            update.setObject(3, id);
            update.executeUpdate();
        }
    }

    /** When a command that waits is due again. */
    Optional<Instant> again(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(again)) {
            select.setObject(1, id);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getObject(1) != null
                        ? Optional.of(instant(row, "not_before"))
                        : Optional.empty();
            }
        }
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time.equals(OffsetDateTime.MAX)
                ? Instant.MAX
                : time.equals(OffsetDateTime.MIN) ? Instant.MIN : time.toInstant();
    }

    private static Origin origin(ResultSet row) throws SQLException {
        return new Origin(
                row.getString("tenant_id"),
                row.getString("user_id"),
                row.getString("user_roles"),
                row.getString("correlation_id"),
                row.getString("causation_id"),
                row.getString("traceparent"));
    }

    private static ScheduledCommand.Carried carried(ResultSet row) throws SQLException {
        String text = row.getString("payload");
        byte[] binary = row.getBytes("payload_binary");
        return new ScheduledCommand.Carried(
                binary != null
                        ? Optional.of(Bytes.of(binary))
                        : Optional.ofNullable(text).map(Bytes::utf8),
                Optional.ofNullable(row.getString("content_type")),
                Content.headers(row.getString("headers")));
    }
}
