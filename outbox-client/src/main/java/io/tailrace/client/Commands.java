package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Schedules commands and changes those that are pending. Uses the caller's connection only: never opens, commits, rolls back or
 * closes one. Thread-safe, as far as each thread brings its own connection.
 */
public final class Commands {

    /** When: an instant, else a delay from now, else now. The database's clock, as it is the one that is asked later. */
    private static final String WHEN = "coalesce(?::timestamptz, clock_timestamp() + ?::interval, now())";

    /**
     * One round trip, and no privilege beyond INSERT and EXECUTE: RETURNING would need SELECT.
     * Locks: the new row. Indexes: the exclusion constraint on id is written.
     */
    private static final String INSERT = """
            WITH made (id) AS (SELECT coalesce(?::uuid, %1$s.new_id())), written AS (
                INSERT INTO %2$s (id, command_name, run_at, max_attempts, ordering_key, payload, payload_binary, content_type,
                        headers, tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
                    SELECT made.id, ?, %3$s, ?::integer, ?, ?::json, ?::bytea, ?, json_object(?::text[], ?::text[]),
                        ?, ?, ?, ?, ?, ?
                    FROM made)
            SELECT id FROM made""";

    /** The function says what it locks and waits for. */
    private static final String SCHEDULE = """
            SELECT scheduled, outcome FROM %1$s.schedule_command(id => ?::uuid, command_name => ?, run_at => %3$s,
                max_attempts => ?::integer, ordering_key => ?, payload => ?::json, payload_binary => ?::bytea, content_type => ?,
                headers => json_object(?::text[], ?::text[]), tenant_id => ?, user_id => ?, user_roles => ?,
                correlation_id => ?, causation_id => ?, traceparent => ?, dedup_key => ?, on_duplicate => ?)""";

    private final Origins origins;
    private final String insert;
    private final String schedule;
    private final String cancel;
    private final String reschedule;
    private final String runNow;

    Commands(TableNames tables, Origins origins) {
        String schema = TableNames.quoted(tables.schema());
        this.origins = origins;
        this.insert = INSERT.formatted(schema, tables.qualified(tables.internalCommand()), WHEN);
        this.schedule = SCHEDULE.formatted(schema, "", WHEN);
        this.cancel = "SELECT " + schema + ".cancel_command(?::uuid)";
        this.reschedule = "SELECT " + schema + ".reschedule_command(?::uuid, " + WHEN + ")";
        this.runNow = "SELECT " + schema + ".run_command_now(?::uuid)";
    }

    /**
     * Schedules a command to run at once, that is when the caller's transaction has committed.
     *
     * @return its id; with {@link OnDuplicate#IGNORE} that of the one that is pending
     * @throws DuplicateCommandException as {@link OnDuplicate} says
     * @throws IllegalStateException if the connection is in autocommit mode and the command does not stand alone
     * @throws IllegalArgumentException if the origin has a value that is too long
     * @throws SQLException from the driver; 22P02 if the payload is not JSON, 23P01 if there is a command of this id
     */
    public UUID schedule(Connection connection, Command command) throws SQLException {
        return schedule(connection, command, RunAt.ONCE);
    }

    /**
     * As {@link #schedule(Connection, Command)}, not before an instant.
     *
     * @param runAt of the database's clock, years −4711 to 294276; {@link Instant#MAX} for never, until it is rescheduled
     */
    public UUID schedule(Connection connection, Command command, Instant runAt) throws SQLException {
        return schedule(connection, command, RunAt.at(runAt));
    }

    /**
     * As {@link #schedule(Connection, Command)}, not before a time has passed from now on.
     *
     * @param delay 0 to 36,525 days
     */
    public UUID schedule(Connection connection, Command command, Duration delay) throws SQLException {
        return schedule(connection, command, RunAt.after(delay));
    }

    /** Sees to it that a pending command never runs. */
    public CommandChange cancel(Connection connection, UUID id) throws SQLException {
        return change(connection, cancel, id, null);
    }

    /** Moves a pending command to another instant. */
    public CommandChange reschedule(Connection connection, UUID id, Instant runAt) throws SQLException {
        return change(connection, reschedule, id, RunAt.at(runAt));
    }

    /** Moves a pending command to a time from now. */
    public CommandChange reschedule(Connection connection, UUID id, Duration delay) throws SQLException {
        return change(connection, reschedule, id, RunAt.after(delay));
    }

    /** Moves a pending command to now, also one that waits for its next attempt. */
    public CommandChange runNow(Connection connection, UUID id) throws SQLException {
        return change(connection, runNow, id, null);
    }

    private UUID schedule(Connection connection, Command command, RunAt runAt) throws SQLException {
        Content content = command.content();
        Statements.requireTransaction(connection, content.standsAlone());
        Command.Dedup dedup = command.dedup();
        try (PreparedStatement statement = connection.prepareStatement(dedup == null ? insert : schedule)) {
            Statements filled = new Statements(statement)
                    .object(content.id())
                    .text(command.name().text())
                    .object(runAt.instant())
                    .text(runAt.delay())
                    .number(command.maxAttempts())
                    .content(content)
                    .origin(origins.current());
            if (dedup != null) {
                filled.text(dedup.key()).text(dedup.onDuplicate().text());
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                UUID id = row.getObject(1, UUID.class);
                if (dedup != null) {
                    refuseDuplicate(dedup, id, row.getString(2));
                }
                return id;
            }
        }
    }

    private static void refuseDuplicate(Command.Dedup dedup, UUID pending, String outcome) {
        if (outcome.equals("REJECTED") || outcome.equals("RUNNING")) {
            throw new DuplicateCommandException(dedup.key(), pending, outcome.equals("RUNNING"));
        }
    }

    private static CommandChange change(Connection connection, String sql, UUID id, @Nullable RunAt runAt)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Statements filled = new Statements(statement).object(id);
            if (runAt != null) {
                filled.object(runAt.instant()).text(runAt.delay());
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return CommandChange.valueOf(row.getString(1));
            }
        }
    }
}
