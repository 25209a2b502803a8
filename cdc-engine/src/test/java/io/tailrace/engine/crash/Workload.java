package io.tailrace.engine.crash;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Writers whose transactions run side by side and overlap: single rows, multi-row INSERT, COPY, savepoints that are rolled back, whole
 * transactions that are rolled back, two-phase commits, events that are messages, messages of others in between. Each writer has keys of its own and numbers
 * its rows, so that the order of a key's numbers is the order of its commits.
 */
final class Workload implements AutoCloseable {

    private static final int KEYS_PER_WRITER = 5;
    private static final String INSERT =
            "INSERT INTO tailrace.outbox (id, event_name, ordering_key, payload) VALUES (?::uuid, 'crash.row', ?, ?::json)";

    private final String jdbcUrl;
    private final int copyRows;
    private final boolean messages;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger budget = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> writers = new ArrayList<>();

    /** Starts that many writers; of {@code messages}, most of what they write are messages, and else a few. */
    Workload(String jdbcUrl, int writers, int copyRows, boolean messages, long seed) {
        this.jdbcUrl = jdbcUrl;
        this.copyRows = copyRows;
        this.messages = messages;
        for (int i = 0; i < writers; i++) {
            int number = i;
            Thread thread = new Thread(() -> write(number, new Random(seed + number)), "writer-" + number);
            thread.setDaemon(true);
            this.writers.add(thread);
            thread.start();
        }
    }

    /** Lets the writers write so many more rows, more or less. */
    void allow(int rows) {
        budget.addAndGet(rows);
    }

    /** Lets every writer end its transaction; none is left open or prepared. */
    @Override
    public void close() {
        stop.set(true);
        for (Thread writer : writers) {
            try {
                writer.join(TimeUnit.SECONDS.toMillis(60));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a writer failed", failed);
        }
    }

    private void write(int writer, Random random) {
        int number = 0;
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            while (!stop.get()) {
                if (budget.get() <= 0) {
                    pause(5);
                    continue;
                }
                int next = transaction(connection, writer, number, random);
                budget.addAndGet(number - next);
                number = next;
            }
        } catch (SQLException | IOException | RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** One transaction; returns the next number. */
    private int transaction(Connection connection, int writer, int first, Random random)
            throws SQLException, IOException {
        int number = first;
        connection.setAutoCommit(false);
        int statements = 1 + random.nextInt(4);
        for (int i = 0; i < statements; i++) {
            number = statement(connection, writer, number, random);
            pause(random.nextInt(15)); // so that others commit in between
        }
        switch (random.nextInt(10)) {
            case 0 -> connection.rollback();
            case 1 -> commitInTwoPhases(connection);
            default -> connection.commit();
        }
        return number;
    }

    private int statement(Connection connection, int writer, int number, Random random)
            throws SQLException, IOException {
        if (messages && random.nextInt(4) > 0) {
            return random.nextInt(4) == 0
                    ? savepointOfMessages(connection, writer, number)
                    : emit(connection, writer, number, 1 + random.nextInt(random.nextInt(10) == 0 ? copyRows : 20));
        }
        return switch (random.nextInt(12)) {
            case 0 -> copy(connection, writer, number, random);
            case 1, 2 -> insertMany(connection, writer, number, 2 + random.nextInt(40));
            case 3 -> savepoint(connection, writer, number);
            case 4 -> message(connection, number);
            case 5 -> emit(connection, writer, number, 1 + random.nextInt(5));
            default -> insert(connection, writer, number);
        };
    }

    private static int insert(Connection connection, int writer, int number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, UUID.randomUUID().toString());
            statement.setString(2, key(writer, number));
            statement.setString(3, payload(number));
            statement.executeUpdate();
        }
        return number + 1;
    }

    private static int insertMany(Connection connection, int writer, int number, int rows) throws SQLException {
        StringBuilder values = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            values.append(i == 0 ? "" : ",")
                    .append("('%s', 'crash.row', '%s', '%s')"
                            .formatted(UUID.randomUUID(), key(writer, number + i), payload(number + i)));
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO tailrace.outbox (id, event_name, ordering_key, payload) VALUES " + values);
        }
        return number + rows;
    }

    private int copy(Connection connection, int writer, int number, Random random) throws SQLException, IOException {
        int rows = 1 + random.nextInt(copyRows);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            lines.append(UUID.randomUUID())
                    .append("\tcrash.row\t")
                    .append(key(writer, number + i))
                    .append('\t')
                    .append(payload(number + i))
                    .append('\n');
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "COPY tailrace.outbox (id, event_name, ordering_key, payload) FROM STDIN",
                        new StringReader(lines.toString()));
        return number + rows;
    }

    private static int savepoint(Connection connection, int writer, int number) throws SQLException {
        int next = insert(connection, writer, number);
        Savepoint savepoint = connection.setSavepoint();
        next = insertMany(connection, writer, next, 3);
        connection.rollback(savepoint);
        return insert(connection, writer, next);
    }

    /** Messages leave no rows, so their ids are noted in the same transaction, in a table that nobody captures. */
    private static int emit(Connection connection, int writer, int number, int rows) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO emitted (id) SELECT tailrace.emit('crash.row', %d || '/' || n %% %d, n::text::json)
                        FROM generate_series(%d, %d) n""".formatted(writer, KEYS_PER_WRITER, number, number + rows - 1));
        }
        return number + rows;
    }

    private static int savepointOfMessages(Connection connection, int writer, int number) throws SQLException {
        int next = emit(connection, writer, number, 1);
        Savepoint savepoint = connection.setSavepoint();
        next = emit(connection, writer, next, 3);
        connection.rollback(savepoint);
        return emit(connection, writer, next, 1);
    }

    private static int message(Connection connection, int number) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_logical_emit_message(true, 'tailrace.heartbeat', 'of somebody else')");
        }
        return number;
    }

    private static void commitInTwoPhases(Connection connection) throws SQLException {
        String id = UUID.randomUUID().toString();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE TRANSACTION '" + id + "'");
            connection.setAutoCommit(true);
            statement.execute("COMMIT PREPARED '" + id + "'");
        }
    }

    private static String key(int writer, int number) {
        return writer + "/" + number % KEYS_PER_WRITER;
    }

    private static String payload(int number) {
        return Integer.toString(number);
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
