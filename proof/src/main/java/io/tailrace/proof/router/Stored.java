package io.tailrace.proof.router;

import io.tailrace.proof.history.Row;
import io.tailrace.proof.load.RowId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the tables hold in the end.
 *
 * @param events the outbox
 * @param commands the command table
 */
record Stored(List<Event> events, List<Command> commands) {

    /** A row of the outbox. */
    record Event(String id, String name, @Nullable String key, boolean large) {

        Row row() {
            return new Row(id, key, number(id), false);
        }

        /** How often it fails by itself. */
        int failuresOfItsOwn() {
            return Names.failuresOfItsOwn(name, large);
        }
    }

    /**
     * A row of the command table.
     *
     * @param runAt milliseconds since the epoch
     * @param due whether that has come
     * @param attempts that were used
     * @param fails how often it was told to fail
     */
    record Command(String id, @Nullable String key, long runAt, boolean due, int attempts, int fails) {

        Row row() {
            return new Row(id, key, number(id), !due);
        }
    }

    static Stored read(String jdbcUrl) throws SQLException {
        List<Event> events = new ArrayList<>();
        List<Command> commands = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery(
                    "SELECT id::text, event_name, ordering_key, length(payload::text) > 2000 FROM tailrace.outbox")) {
                while (row.next()) {
                    events.add(new Event(row.getString(1), row.getString(2), row.getString(3), row.getBoolean(4)));
                }
            }
            try (ResultSet row = statement.executeQuery("""
                    SELECT id::text, ordering_key, trunc(extract(epoch FROM run_at) * 1000)::bigint,
                           run_at < now() + interval '1 hour', attempts, (payload->>'fail')::int
                    FROM tailrace.internal_command""")) {
                while (row.next()) {
                    commands.add(new Command(
                            row.getString(1),
                            row.getString(2),
                            row.getLong(3),
                            row.getBoolean(4),
                            row.getInt(5),
                            row.getInt(6)));
                }
            }
        }
        return new Stored(events, commands);
    }

    /** All that must end: be delivered, or die. */
    List<String> mustEnd() {
        List<String> ids = new ArrayList<>(events.stream().map(Event::id).toList());
        commands.stream().filter(Command::due).map(Command::id).forEach(ids::add);
        return ids;
    }

    private static long number(String id) {
        return RowId.of(UUID.fromString(id))
                .orElseThrow(() -> new IllegalStateException("no writer wrote row " + id))
                .number();
    }
}
