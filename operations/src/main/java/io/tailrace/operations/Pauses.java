package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.HoldKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Command names that do not run for now. They stand in the database, so restarts forget none. Executors hear of a change within a second;
 * a command that runs meanwhile runs to its end. Opens a connection for each call. Thread-safe.
 */
public final class Pauses {

    private final Database database;
    private final TableNames tables;

    public Pauses(SourceConfig source) {
        this.database = new Database(source);
        this.tables = source.tables();
    }

    /**
     * A name that is held.
     *
     * @param since when it was stopped, in ISO form and UTC
     * @param by who stopped it
     * @param note why
     * @param rows commands that have met it and wait; those behind them on their keys are not counted
     */
    public record Pause(
            String name, HoldKind kind, String since, Optional<String> by, Optional<String> note, long rows) {}

    /** All of them, by name. */
    public List<Pause> list() {
        return database.call("reading what is paused", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                            """
                    SELECT p.name, p.kind, p."by", p.note,
                        to_char(p.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
                        (SELECT count(*) FROM %s c WHERE c.hold = p.name) AS held
                    FROM %s p ORDER BY p.name""".formatted(tables.qualified(tables.internalCommand()), tables.qualified("pause")));
                    ResultSet rows = statement.executeQuery()) {
                List<Pause> pauses = new ArrayList<>();
                while (rows.next()) {
                    pauses.add(pause(rows));
                }
                return pauses;
            }
        });
    }

    /**
     * Commands of this name wait, without using an attempt, until it is resumed.
     *
     * @param name as it stands in the rows, version included; any text, since rows hold any
     * @param by who does it, to be kept
     * @param note why, to be kept
     * @return false if it was paused already
     */
    public boolean pause(String name, String by, String note) {
        return database.call("pausing " + name, connection -> {
            try (PreparedStatement statement = call(connection, "pause_commands", "?,?,?")) {
                statement.setString(1, name);
                statement.setString(2, by);
                statement.setString(3, note);
                return isOk(statement);
            }
        });
    }

    /**
     * Commands of this name run again, whoever had stopped them: those that waited in the order in which they would have run.
     *
     * @return false if nothing held it
     */
    public boolean resume(String name) {
        return database.call("resuming " + name, connection -> {
            try (PreparedStatement statement = call(connection, "resume_commands", "?")) {
                statement.setString(1, name);
                return isOk(statement);
            }
        });
    }

    private PreparedStatement call(Connection connection, String function, String parameters) throws SQLException {
        return connection.prepareStatement("SELECT " + tables.qualified(function) + "(" + parameters + ")");
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
