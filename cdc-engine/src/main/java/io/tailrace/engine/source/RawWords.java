package io.tailrace.engine.source;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;

/** What records said, on its way into a temporary table. Not thread-safe. */
final class RawWords {

    /** So many go to the server at once. */
    private static final int BATCH = 10_000;

    private final Connection connection;

    private final String table;
    private final UUID[] ids = new UUID[BATCH];
    private final Long[] notBefore = new Long[BATCH];
    private final Boolean[] ofRow = new Boolean[BATCH];
    private int count;

    RawWords(Connection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    static String table(String name) {
        return "CREATE TEMPORARY TABLE " + name
                + " (id uuid NOT NULL, not_before bigint, of_row boolean, ord bigint GENERATED ALWAYS AS IDENTITY)";
    }

    void add(UUID id, long due, boolean row) throws SQLException {
        ids[count] = id;
        notBefore[count] = due;
        ofRow[count] = row;
        count++;
        if (count == BATCH) {
            flush();
        }
    }

    void flush() throws SQLException {
        if (count == 0) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + table
                + " (id, not_before, of_row) SELECT * FROM unnest(?::uuid[], ?::bigint[], ?::boolean[])")) {
            statement.setArray(1, connection.createArrayOf("uuid", Arrays.copyOf(ids, count)));
            statement.setArray(2, connection.createArrayOf("bigint", Arrays.copyOf(notBefore, count)));
            statement.setArray(3, connection.createArrayOf("boolean", Arrays.copyOf(ofRow, count)));
            statement.executeUpdate();
        }
        count = 0;
    }
}
