package io.tailrace.proof.router;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows that the proof itself writes, at its own moments. Not thread-safe. */
final class Hand implements AutoCloseable {

    private final Connection connection;
    private final Inserts inserts;

    /** @param writer whose rows they are; no other one has this number */
    Hand(String jdbcUrl, int writer) throws SQLException {
        this.connection = DriverManager.getConnection(jdbcUrl);
        this.inserts = new Inserts(writer);
        connection.setAutoCommit(false);
    }

    /** An event to be written. */
    record Event(String name, @Nullable String key) {}

    /** Writes them in one transaction; their ids, in the same order. */
    List<String> commit(List<Event> events) throws SQLException {
        List<String> ids = new ArrayList<>();
        for (Event event : events) {
            ids.add(inserts.event(connection, event.name(), event.key(), false));
        }
        connection.commit();
        return ids;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
