package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Veil;
import io.tailrace.operations.Command.Delivery;
import io.tailrace.operations.Command.Status;
import io.tailrace.operations.Command.Timing;
import io.tailrace.operations.sweep.DeadRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a database: counted, listed, shown, and changed by the functions of its schema, which take the row and tell the
 * router through the WAL in one transaction. Opens a connection for each call. Thread-safe.
 */
public final class Commands {

    /** Rows of one list: more is for SQL. */
    public static final int MOST_LISTED = 10_000;

    private static final String COLUMNS = """
            id, command_name, ordering_key, status, attempts, turn, place, reason, hold, dedup_key, left(last_error, 8192) AS last_error,
            %s""".formatted(String.join(
            ", ",
            List.of("created_at", "run_at", "not_before", "first_failed_at", "failed_at", "completed_at").stream()
                    .map(Commands::utc)
                    .toList()));

    /** A row that never was stamped stands behind all of its key that wait: its place will be behind theirs. */
    private static final String COUNTS = """
            SELECT count(*) FILTER (WHERE state IN ('due', 'scheduled', 'blocked')), count(*) FILTER (WHERE state = 'due'),
                count(*) FILTER (WHERE state = 'scheduled'), count(*) FILTER (WHERE state = 'blocked'),
                count(*) FILTER (WHERE state = 'COMPLETED'), count(*) FILTER (WHERE state = 'DEAD'),
                count(*) FILTER (WHERE state = 'CANCELLED')
            FROM (SELECT CASE
                WHEN c.status <> 'PENDING' THEN c.status
                WHEN greatest(c.run_at, c.not_before) > clock_timestamp() THEN 'scheduled'
                WHEN c.hold IS NOT NULL OR EXISTS (SELECT FROM %1$s w
                    WHERE w.ordering_key = c.ordering_key AND w.place < coalesce(c.place, 9223372036854775807) AND w.id <> c.id
                        AND w.place IS NOT NULL AND w.status IN ('PENDING', 'DEAD') AND (w.status = 'PENDING' OR w.halts)) THEN 'blocked'
                ELSE 'due' END AS state
                FROM %1$s c %2$s) AS states""";

    private final Database database;
    private final TableNames tables;
    private final String table;
    private final boolean isDryRun;

    public Commands(SourceConfig source) {
        this(source, false);
    }

    private Commands(SourceConfig source, boolean isDryRun) {
        this.database = new Database(source);
        this.tables = source.tables();
        this.table = tables.qualified(tables.internalCommand());
        this.isDryRun = isDryRun;
    }

    /** One that tells what would be answered, and takes every change back: nobody hears of it. */
    public static Commands dryRun(SourceConfig source) {
        return new Commands(source, true);
    }

    /** What a function answered. */
    public enum Answer {
        OK,
        /** A worker has the row now. */
        RUNNING,
        NOT_FOUND,
        NOT_PENDING,
        NOT_DEAD,
        /** It has no key that could stop at it. */
        NOT_HALTED,
        /** Another row of its key stands before it. */
        NOT_HEAD,
        /** A younger pending command has its dedup key. */
        DUPLICATE;

        /** In lower case with hyphens. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Which commands are meant.
     *
     * @param name this one, or with {@code .*} at its end all that begin so
     * @param limit 1 to {@value #MOST_LISTED}
     */
    public record Filter(Optional<Status> status, Optional<String> name, Optional<String> orderingKey, int limit) {
        public Filter {
            Objects.requireNonNull(status, "status");
            if (limit < 1 || limit > MOST_LISTED) {
                throw new IllegalArgumentException("a limit must be 1 to " + MOST_LISTED + ", is " + limit);
            }
        }
    }

    /** How many there are of each state, zeros included. Reads the whole table. */
    public Map<Status, Long> count(Optional<String> name) {
        return database.call("counting commands", connection -> {
            Map<Status, Long> counts = new EnumMap<>(Status.class);
            for (Status status : Status.values()) {
                counts.put(status, 0L);
            }
            String sql = "SELECT status, count(*) FROM " + table + where(name.isPresent() ? " command_name LIKE ?" : "")
                    + " GROUP BY status";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                if (name.isPresent()) {
                    statement.setString(1, like(name.get()));
                }
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        counts.put(Status.valueOf(rows.getString(1)), rows.getLong(2));
                    }
                }
            }
            return counts;
        });
    }

    /** The same by what pending ones wait for. Reads the whole table. */
    public CommandCounts counts(Optional<String> name) {
        return database.call("counting commands", connection -> {
            String sql = COUNTS.formatted(table, where(name.isPresent() ? " command_name LIKE ?" : ""));
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                if (name.isPresent()) {
                    statement.setString(1, like(name.get()));
                }
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new CommandCounts(
                            row.getLong(1),
                            row.getLong(2),
                            row.getLong(3),
                            row.getLong(4),
                            row.getLong(5),
                            row.getLong(6),
                            row.getLong(7));
                }
            }
        });
    }

    /** The youngest first. */
    public List<Command> list(Filter filter) {
        return database.call("listing commands", connection -> {
            List<String> conditions = new ArrayList<>();
            List<String> values = new ArrayList<>();
            filter.status().ifPresent(status -> {
                conditions.add("status = ?");
                values.add(status.name());
            });
            filter.name().ifPresent(name -> {
                conditions.add("command_name LIKE ?");
                values.add(like(name));
            });
            filter.orderingKey().ifPresent(key -> {
                conditions.add("ordering_key = ?");
                values.add(key);
            });
            String sql = "SELECT " + COLUMNS + " FROM " + table + where(String.join(" AND ", conditions))
                    + " ORDER BY created_at DESC, id DESC LIMIT " + filter.limit();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.size(); i++) {
                    statement.setString(i + 1, values.get(i));
                }
                return commands(statement);
            }
        });
    }

    /** One command. */
    public Optional<Command> find(UUID id) {
        return database.call("reading a command", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT " + COLUMNS + " FROM " + table + " WHERE id = ?")) {
                statement.setObject(1, id);
                return commands(statement).stream().findFirst();
            }
        });
    }

    /**
     * The payload of one command, to be looked at: text as it stands, bytes as {@code \x} and hex; empty when it has none.
     *
     * @param secrets of commands of its name, which are cut out; a payload that they cannot be cut out of is not shown
     */
    public Optional<String> payload(UUID id, SecretPaths secrets) {
        return database.call("reading a payload", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT payload::text, payload_binary, content_type FROM " + table + " WHERE id = ?")) {
                statement.setObject(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? shown(rows.getString(1), rows.getBytes(2), rows.getString(3), secrets)
                            : Optional.empty();
                }
            }
        });
    }

    private static Optional<String> shown(
            @Nullable String text, byte @Nullable [] binary, @Nullable String contentType, SecretPaths secrets) {
        if (text != null) {
            return Optional.of(
                    secrets.cut(Bytes.utf8(text), Objects.requireNonNullElse(contentType, "application/json"))
                            .map(Bytes::utf8)
                            .orElse(Veil.HIDDEN));
        }
        return Optional.ofNullable(binary)
                .map(bytes -> secrets.cut(Bytes.of(bytes), contentType)
                        .map(cut -> "\\x" + HexFormat.of().formatHex(cut.array()))
                        .orElse(Veil.HIDDEN));
    }

    /** PENDING → CANCELLED. */
    public Answer cancel(UUID id) {
        return act("cancel_command", id);
    }

    /** A pending command becomes due now. */
    public Answer runNow(UUID id) {
        return act("run_command_now", id);
    }

    /** DEAD → PENDING with a new budget. */
    public Answer requeue(UUID id) {
        return act("requeue_command", id);
    }

    /** The key of a dead command goes on without it. */
    public Answer skip(UUID id) {
        return act("skip_command", id);
    }

    /** A pending command becomes due at another instant. */
    public Answer reschedule(UUID id, OffsetDateTime runAt) {
        return change("reschedule_command", connection -> {
            try (PreparedStatement statement = call(connection, "reschedule_command", "?, ?")) {
                statement.setObject(1, id);
                statement.setObject(2, runAt);
                return answer(statement);
            }
        });
    }

    /** DEAD → CANCELLED: nothing can requeue it any more. Its dead letter is for {@link DeadLetters#discard} to take away. */
    DeadRows.Outcome giveUp(UUID id) {
        return change("giving up a command", connection -> new DeadRows(tables).giveUp(connection, id));
    }

    /** The same for nobody's word but that of the clock: a row at which its key stops is left alone, as if it was taken. */
    DeadRows.Outcome giveUpForItsAge(UUID id) {
        return change("giving up a command", connection -> new DeadRows(tables).giveUpForItsAge(connection, id));
    }

    private Answer act(String function, UUID id) {
        return change(function, connection -> {
            try (PreparedStatement statement = call(connection, function, "?")) {
                statement.setObject(1, id);
                return answer(statement);
            }
        });
    }

    private <T> T change(String what, Database.Work<T> work) {
        if (!isDryRun) {
            return database.call(what, work);
        }
        return database.call(what, connection -> {
            connection.setAutoCommit(false);
            try {
                return work.with(connection);
            } finally {
                connection.rollback();
            }
        });
    }

    private PreparedStatement call(Connection connection, String function, String parameters) throws SQLException {
        return connection.prepareStatement("SELECT " + tables.qualified(function) + "(" + parameters + ")");
    }

    private static Answer answer(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return Answer.valueOf(rows.getString(1));
        }
    }

    private static List<Command> commands(PreparedStatement statement) throws SQLException {
        List<Command> commands = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                commands.add(command(rows));
            }
        }
        return commands;
    }

    private static Command command(ResultSet row) throws SQLException {
        long packed = row.getLong("place");
        Optional<String> place = row.wasNull()
                ? Optional.empty()
                : Optional.of(Place.unpacked(packed).text());
        return new Command(
                row.getObject("id", UUID.class),
                row.getString("command_name"),
                text(row, "ordering_key"),
                Status.valueOf(row.getString("status")),
                new Timing(
                        row.getString("created_at"),
                        row.getString("run_at"),
                        text(row, "not_before"),
                        text(row, "first_failed_at"),
                        text(row, "failed_at"),
                        text(row, "completed_at")),
                new Delivery(row.getInt("attempts"), row.getInt("turn"), place, text(row, "reason"), text(row, "hold")),
                text(row, "dedup_key"),
                text(row, "last_error").orElse(""));
    }

    private static Optional<String> text(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getString(column));
    }

    private static String where(String condition) {
        return condition.isEmpty() ? "" : " WHERE " + condition;
    }

    /** The name itself, or with {@code .*} everything below it. */
    static String like(String name) {
        boolean below = name.endsWith(".*");
        String literal = (below ? name.substring(0, name.length() - 1) : name)
                .replace("\\", "\\\\")
                .replace("_", "\\_")
                .replace("%", "\\%");
        return below ? literal + "%" : literal;
    }

    /** Milliseconds are enough to read; the exact instant stays in the row. */
    private static String utc(String column) {
        return "CASE WHEN isfinite(%1$s) THEN to_char(%1$s AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') ELSE %1$s::text END AS %1$s"
                .formatted(column);
    }
}
