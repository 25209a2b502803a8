package io.tailrace.cli.demo;

import io.tailrace.contract.config.SourceConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The shop's own tables, and what its owner asks of them and of Tailrace's in plain SQL. */
final class ShopDatabase {

    private static final String TABLES = """
            CREATE SCHEMA shop;
            CREATE TABLE shop.orders (id text PRIMARY KEY, customer text NOT NULL);
            -- What handlers did, in the order in which they did it. Nothing is unique but that order: a command that ran twice shows.
            CREATE TABLE shop.effects (done bigserial PRIMARY KEY, command_id uuid NOT NULL, name text NOT NULL,
                customer text NOT NULL, n integer NOT NULL);
            CREATE TABLE shop.switches (name text PRIMARY KEY, is_on boolean NOT NULL);
            INSERT INTO shop.switches VALUES ('carrier', false);
            """;

    private final String url;
    private final String user;

    ShopDatabase(SourceConfig source) {
        this.url = source.jdbcUrl();
        this.user = source.user();
    }

    /** An effect of a command, as its handler wrote it down. */
    record Effect(UUID commandId, String name, String customer, int n) {}

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, "");
    }

    void create() throws SQLException {
        execute(TABLES);
    }

    void switchOn(String name) throws SQLException {
        execute("UPDATE shop.switches SET is_on = true WHERE name = '" + name + "'");
    }

    /** Rows that stand in the outbox, in any state. */
    Set<UUID> events() throws SQLException {
        return ids("SELECT id FROM tailrace.outbox");
    }

    Set<UUID> commands() throws SQLException {
        return ids("SELECT id FROM tailrace.internal_command");
    }

    long orders() throws SQLException {
        return number("SELECT count(*) FROM shop.orders");
    }

    /** Commands that handlers have not seen the end of. */
    long openCommands() throws SQLException {
        return number("SELECT count(*) FROM tailrace.internal_command WHERE status = 'PENDING'");
    }

    /** In the order in which they were done. */
    List<Effect> effects() throws SQLException {
        List<Effect> effects = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT command_id, name, customer, n FROM shop.effects ORDER BY done")) {
            while (rows.next()) {
                effects.add(new Effect(
                        rows.getObject(1, UUID.class), rows.getString(2), rows.getString(3), rows.getInt(4)));
            }
        }
        return effects;
    }

    /** Commands that are neither done nor dead, a line for each, for a diagnosis. */
    List<String> unfinished(int most) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        SELECT id, command_name, ordering_key, status, turn, attempts, place, not_before, run_at, last_error
                        FROM tailrace.internal_command WHERE status IN ('PENDING', 'DEAD') ORDER BY run_at LIMIT """ + " " + most)) {
            while (rows.next()) {
                lines.add("command %s %s key=%s %s turn=%d attempts=%d place=%s not_before=%s run_at=%s last_error=%s"
                        .formatted(
                                rows.getString(1),
                                rows.getString(2),
                                rows.getString(3),
                                rows.getString(4),
                                rows.getInt(5),
                                rows.getInt(6),
                                rows.getString(7),
                                rows.getString(8),
                                rows.getString(9),
                                String.valueOf(rows.getString(10))
                                        .lines()
                                        .findFirst()
                                        .orElse("")));
            }
        }
        return lines;
    }

    private Set<UUID> ids(String sql) throws SQLException {
        Set<UUID> ids = new HashSet<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
        }
        return ids;
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
