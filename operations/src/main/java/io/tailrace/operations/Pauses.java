package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.HoldKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Names whose commands, or whose events of one subscription, do not run for now. They stand in the database, so restarts forget none.
 * Executors hear of a change within a second; a row that runs meanwhile runs to its end. Opens a connection for each call. Thread-safe.
 */
public final class Pauses {

    private static final String HELD_COMMANDS = "SELECT count(*) FROM %s c WHERE c.hold = p.name";

    /** One that is paused whole has all that are held, whichever name it was that they met. */
    private static final String HELD_EVENTS =
            "SELECT count(*) FROM %s d WHERE d.subscription = p.subscription AND d.hold IS NOT NULL AND p.name IN (d.hold, '*')";

    private static final String LIST = """
            SELECT p.name, p.kind, p."by", p.note,
                to_char(p.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
                (%s) AS held
            FROM %s p WHERE p.subscription = ? ORDER BY p.name""";

    private final Database database;
    private final TableNames tables;
    private final String subscription;

    /** Of commands. */
    public Pauses(SourceConfig source) {
        this(source, Topics.COMMANDS);
    }

    private Pauses(SourceConfig source, String subscription) {
        this.database = new Database(source);
        this.tables = source.tables();
        this.subscription = subscription;
    }

    /**
     * Of the events of a subscription; there the name {@code *} is all of them.
     *
     * @param subscription its name
     */
    public static Pauses ofEvents(SourceConfig source, String subscription) {
        return new Pauses(source, subscription);
    }

    /**
     * A name that is held.
     *
     * @param since when it was stopped, in ISO form and UTC
     * @param by who stopped it
     * @param note why
     * @param rows commands or events that have met it and wait; those behind them on their keys are not counted
     */
    public record Pause(
            String name, HoldKind kind, String since, Optional<String> by, Optional<String> note, long rows) {}

    /** All of them, by name. */
    public List<Pause> list() {
        String held = isOfCommands()
                ? HELD_COMMANDS.formatted(tables.qualified(tables.internalCommand()))
                : HELD_EVENTS.formatted(tables.qualified(TableNames.DELIVERY));
        return database.call("reading what is paused", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(LIST.formatted(held, tables.qualified("pause")))) {
                statement.setString(1, subscription);
                try (ResultSet rows = statement.executeQuery()) {
                    List<Pause> pauses = new ArrayList<>();
                    while (rows.next()) {
                        pauses.add(pause(rows));
                    }
                    return pauses;
                }
            }
        });
    }

    /**
     * Rows of this name wait, without using an attempt, until it is resumed.
     *
     * @param name as it stands in the rows, version included; any text, since rows hold any
     * @param by who does it, to be kept
     * @param note why, to be kept
     * @return false if it was paused already
     */
    public boolean pause(String name, String by, String note) {
        return database.call("pausing " + name, connection -> {
            try (PreparedStatement statement = isOfCommands()
                    ? call(connection, "pause_commands", name, by, note)
                    : call(connection, "pause_events", subscription, name, by, note)) {
                return isOk(statement);
            }
        });
    }

    /**
     * Rows of this name run again, whoever had stopped them: those that waited in the order in which they would have run.
     *
     * @return false if nothing held it
     */
    public boolean resume(String name) {
        return database.call("resuming " + name, connection -> {
            try (PreparedStatement statement = isOfCommands()
                    ? call(connection, "resume_commands", name)
                    : call(connection, "resume_events", subscription, name)) {
                return isOk(statement);
            }
        });
    }

    private boolean isOfCommands() {
        return subscription.equals(Topics.COMMANDS);
    }

    private PreparedStatement call(Connection connection, String function, String... values) throws SQLException {
        String parameters = String.join(",", Collections.nCopies(values.length, "?"));
        PreparedStatement statement =
                connection.prepareStatement("SELECT " + tables.qualified(function) + "(" + parameters + ")");
        for (int i = 0; i < values.length; i++) {
            statement.setString(i + 1, values[i]);
        }
        return statement;
    }

    private static boolean isOk(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1).equals("OK");
        }
    }

    private static Pause pause(ResultSet row) throws SQLException {
        return new Pause(
                row.getString("name"),
                HoldKind.of(row.getString("kind")),
                row.getString("since"),
                Optional.ofNullable(row.getString("by")),
                Optional.ofNullable(row.getString("note")),
                row.getLong("held"));
    }
}
