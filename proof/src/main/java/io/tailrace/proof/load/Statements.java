package io.tailrace.proof.load;

import io.tailrace.proof.load.RowId.Table;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.postgresql.PGConnection;

/** The statements of one writer, in whatever transaction is open. Each row takes the next number, whether it is committed or not. */
final class Statements {

    /** What is read as one group of rows: a batch of the engine ends within it. */
    private static final int LARGE_COPY = 10_000;

    /** Among other statements a large one is rare, or there would be no others. */
    private static final int ONE_LARGE_IN = 25;

    private static final int ONE_LARGE_IN_COPIES = 3;

    /** Most rows of a COPY that is not a large one: a page or some of them. */
    private static final int SMALL_COPY = 300;

    private static final int KEYS = 5;

    private static final String COLUMNS = "(id, event_name, ordering_key, payload)";

    /**
     * With every column that has a volatile default: only then does PostgreSQL write the rows of a page as one record of its log, and
     * they share an LSN.
     */
    private static final String COPIED = "(id, event_name, ordering_key, payload, occurred_at)";

    private final Workload workload;
    private final int writer;
    private final Random random;
    private final int[] next = new int[Table.values().length];

    Statements(Workload workload, int writer, Random random) {
        this.workload = workload;
        this.writer = writer;
        this.random = random;
    }

    void any(Connection connection) throws SQLException, IOException {
        int choice = random.nextInt(40);
        if (choice < 16) {
            insert(connection);
        } else if (choice < 22) {
            insertMany(connection, 2 + random.nextInt(40));
        } else if (choice < 26) {
            copy(connection, random.nextInt(ONE_LARGE_IN) == 0);
        } else if (choice < 31) {
            savepoint(connection);
        } else if (choice < 34) {
            emit(connection);
        } else if (choice < 36) {
            message(connection);
        } else {
            command(connection);
        }
    }

    void insert(Connection connection) throws SQLException {
        String sql = "INSERT INTO tailrace.outbox " + COLUMNS + " VALUES (?::uuid, 'proof.row', ?, ?::json)";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            RowId row = take(Table.OUTBOX);
            statement.setString(1, row.uuid().toString());
            statement.setString(2, key(row));
            statement.setString(3, payload(row));
            statement.executeUpdate();
        }
        workload.count(Did.INSERTS);
        workload.used(1);
    }

    void insertMany(Connection connection, int rows) throws SQLException {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            RowId row = take(Table.OUTBOX);
            values.add("('%s', 'proof.row', '%s', '%s')".formatted(row.uuid(), key(row), payload(row)));
        }
        execute(connection, "INSERT INTO tailrace.outbox " + COLUMNS + " VALUES " + String.join(",", values));
        workload.count(Did.MULTI_ROW_INSERTS);
        workload.used(rows);
    }

    void copy(Connection connection) throws SQLException, IOException {
        copy(connection, random.nextInt(ONE_LARGE_IN_COPIES) == 0);
    }

    private void copy(Connection connection, boolean large) throws SQLException, IOException {
        int rows = large ? LARGE_COPY : 1 + random.nextInt(SMALL_COPY);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            RowId row = take(Table.OUTBOX);
            lines.append("%s\tproof.row\t%s\t%s\tnow%n".formatted(row.uuid(), key(row), payload(row)));
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY tailrace.outbox " + COPIED + " FROM STDIN", new StringReader(lines.toString()));
        workload.count(large ? Did.COPIES_OF_TEN_THOUSAND : Did.COPIES);
        workload.used(rows);
    }

    private void savepoint(Connection connection) throws SQLException {
        insert(connection);
        Savepoint savepoint = connection.setSavepoint();
        insertMany(connection, 3);
        if (random.nextInt(4) > 0) {
            connection.rollback(savepoint);
            workload.count(Did.SAVEPOINTS_ROLLED_BACK);
        } else {
            connection.releaseSavepoint(savepoint);
        }
        insert(connection);
    }

    /**
     * Events that are messages. They leave no rows, so their ids are noted in the same transaction, in a table that nobody captures; and
     * sometimes it all comes to nothing.
     */
    private void emit(Connection connection) throws SQLException {
        int events = 1 + random.nextInt(random.nextInt(5) == 0 ? SMALL_COPY : 20);
        Savepoint savepoint = connection.setSavepoint();
        List<String> calls = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            RowId row = take(Table.OUTBOX);
            calls.add("(tailrace.emit('proof.message', '%s', '%s', id => '%s'))"
                    .formatted(key(row), payload(row), row.uuid()));
        }
        execute(connection, "INSERT INTO " + Workload.EMITTED + " (id) VALUES " + String.join(",", calls));
        workload.count(Did.EVENTS_EMITTED);
        workload.used(events);
        if (random.nextInt(4) == 0) {
            connection.rollback(savepoint);
            workload.count(Did.SAVEPOINTS_ROLLED_BACK);
        }
    }

    /** In this transaction or beside it, under a prefix that the engine listens to or another: none of them is a row. */
    private void message(Connection connection) throws SQLException {
        boolean transactional = random.nextInt(4) > 0;
        String prefix = random.nextBoolean() ? "tailrace.heartbeat" : "somebody.else";
        execute(
                connection,
                "SELECT pg_logical_emit_message(%s, '%s', 'of somebody else')".formatted(transactional, prefix));
        workload.count(Did.MESSAGES);
    }

    /** A command, and sometimes its cancellation in the same transaction: two records, the second of a logical message. */
    private void command(Connection connection) throws SQLException {
        RowId row = take(Table.COMMAND);
        execute(
                connection,
                "INSERT INTO tailrace.internal_command (id, command_name, ordering_key, payload, run_at)"
                        + " VALUES ('%s', 'prove', '%s', '%s', now() + interval '1 hour')"
                                .formatted(row.uuid(), key(row), payload(row)));
        workload.count(Did.COMMANDS);
        workload.used(1);
        if (random.nextInt(3) == 0) {
            execute(connection, "SELECT tailrace.cancel_command('" + row.uuid() + "')");
            workload.count(Did.CANCELLATIONS);
            workload.used(1);
        }
    }

    private RowId take(Table table) {
        return new RowId(table, writer, next[table.ordinal()]++);
    }

    private String key(RowId row) {
        return writer + "/" + row.number() % KEYS;
    }

    private static String payload(RowId row) {
        return "{\"number\": " + row.number() + "}";
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
