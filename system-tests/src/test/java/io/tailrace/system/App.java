package io.tailrace.system;

import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An application: inserts rows in its own transactions, with plain SQL, and has tables of its own. Thread-safe. */
final class App {

    static final String EVENTS = "tailrace.outbox";
    static final String COMMANDS = "tailrace.internal_command";

    private final Stack stack;

    private App(Stack stack) {
        this.stack = stack;
    }

    /** Makes the application's own tables. */
    static App on(Stack stack) throws SQLException {
        stack.execute(
                "CREATE SCHEMA app",
                // No constraint: a second effect of a command is to be seen, not refused. seq is the order of
                // effects within a key, xid the transaction that an effect committed with.
                """
                CREATE TABLE app.effect (
                    seq bigint GENERATED ALWAYS AS IDENTITY, command_id uuid, key text, n int, attempt int, tenant_id text,
                    at timestamptz DEFAULT clock_timestamp(),
                    xid bigint DEFAULT pg_current_xact_id()::text::bigint & 4294967295)""",
                "CREATE TABLE app.switch (name text PRIMARY KEY)");
        return new App(stack);
    }

    /** What is done in one transaction. */
    interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    /** One transaction, committed. */
    <T> T transact(Work<T> work) throws SQLException {
        try (Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            T result = work.in(connection);
            connection.commit();
            return result;
        }
    }

    /** Mends what handlers wait for. */
    void switchOn(String name) throws SQLException {
        stack.execute("INSERT INTO app.switch VALUES ('" + name + "')");
    }

    /** An event in a transaction of its own. */
    UUID event(String name, @Nullable String key, int n) throws SQLException {
        return transact(connection -> event(connection, name, key, n));
    }

    /** Some events of a name and key, numbered from {@code first}, in a transaction of their own. */
    List<UUID> events(String name, @Nullable String key, int first, int count) throws SQLException {
        return transact(connection -> {
            List<UUID> ids = new ArrayList<>();
            for (int n = first; n < first + count; n++) {
                ids.add(event(connection, name, key, n));
            }
            return ids;
        });
    }

    /** A command in a transaction of its own. */
    UUID command(@Nullable String key, String payload) throws SQLException {
        return transact(connection -> command(connection, EffectHandler.NAME, key, payload));
    }

    static UUID event(Connection connection, String name, @Nullable String key, int n) throws SQLException {
        return insert(connection, EVENTS, "event_name", name, key, "{\"n\":" + n + "}");
    }

    static UUID command(Connection connection, String name, @Nullable String key, String payload) throws SQLException {
        return insert(connection, COMMANDS, "command_name", name, key, payload);
    }

    static void commandLater(Connection connection, String key, String payload, int delayMs) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO " + COMMANDS
                        + " (command_name, ordering_key, payload, run_at) VALUES (?, ?, ?::json, now() + ? * interval '1 ms')")) {
            statement.setString(1, EffectHandler.NAME);
            statement.setString(2, key);
            statement.setString(3, payload);
            statement.setInt(4, delayMs);
            statement.executeUpdate();
        }
    }

    private static UUID insert(
            Connection connection, String table, String nameColumn, String name, @Nullable String key, String payload)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + table + " (" + nameColumn
                + ", ordering_key, payload, tenant_id) VALUES (?, ?, ?::json, 'tenant-1') RETURNING id")) {
            statement.setString(1, name);
            statement.setString(2, key);
            statement.setString(3, payload);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getObject(1, UUID.class);
            }
        }
    }

    /** What a handler wrote and committed. */
    record Effect(long seq, String commandId, @Nullable String key, int n, int attempt) {}

    /** In the order in which they were written. */
    List<Effect> effects() throws SQLException {
        List<Effect> effects = new ArrayList<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT seq, command_id, key, n, attempt FROM app.effect ORDER BY seq")) {
            while (rows.next()) {
                effects.add(new Effect(
                        rows.getLong(1), rows.getString(2), rows.getString(3), rows.getInt(4), rows.getInt(5)));
            }
        }
        return effects;
    }

    /** The numbers of a key's effects, in their order. */
    List<Integer> effectsOf(String key) throws SQLException {
        return effects().stream()
                .filter(effect -> key.equals(effect.key()))
                .map(Effect::n)
                .toList();
    }

    /** The one number that a query answers. */
    long number(String query) throws SQLException {
        return Long.parseLong(text(query));
    }

    /** The one text that a query answers. */
    String text(String query) throws SQLException {
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    /** A column of a command's row. */
    String row(UUID id, String column) throws SQLException {
        return text("SELECT " + column + " FROM " + COMMANDS + " WHERE id = '" + id + "'");
    }
}
