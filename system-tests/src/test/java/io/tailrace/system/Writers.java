package io.tailrace.system;

import io.tailrace.testkit.Stack;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.postgresql.PGConnection;

/**
 * Applications that write for as long as a test runs: transactions that interleave, some long, some taken back, with single inserts,
 * inserts of many rows and COPY. Each key belongs to one connection, so that the order of its commits is that of the numbers in its
 * payloads. They stay a bounded number of rows ahead of what was delivered, so that what is killed is always in the midst of it.
 */
final class Writers implements AutoCloseable {

    private static final int THREADS = 3;
    private static final int KEYS_EACH = 4;
    private static final int MOST_AHEAD = 600;

    private final Stack stack;
    private final IntSupplier delivered;
    private final long seed;
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger committed = new AtomicInteger();
    private final AtomicReference<Exception> failed = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Object gate = new Object();
    private volatile boolean ending;

    /** @param delivered how many rows have arrived */
    Writers(Stack stack, IntSupplier delivered, long seed) {
        this.stack = stack;
        this.delivered = delivered;
        this.seed = seed;
    }

    Writers start() {
        for (int i = 0; i < THREADS; i++) {
            int writer = i;
            Thread thread = new Thread(() -> run(writer), "writer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return this;
    }

    /** Rows committed so far. */
    int committed() {
        return committed.get();
    }

    /** Lets them end their transactions; returns the number of rows committed in all. */
    int finish() {
        close();
        Exception e = failed.get();
        if (e != null) {
            throw new IllegalStateException("a writer failed (seed " + seed + ")", e);
        }
        return committed.get();
    }

    @Override
    public void close() {
        ending = true;
        synchronized (gate) {
            gate.notifyAll();
        }
        for (Thread thread : threads) {
            try {
                thread.join(30_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run(int writer) {
        Random random = new Random(seed + writer);
        try (Connection one = stack.connect();
                Connection other = stack.connect()) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            while (!ending) {
                // The longer one spans some of the other's; while we wait for deliveries it is open, also over a kill.
                int rows = write(one, writer + "a", random);
                for (int i = random.nextInt(4); i >= 0; i--) {
                    int more = write(other, writer + "b", random);
                    end(other, more, random);
                }
                waitForDeliveries();
                rows += write(one, writer + "a", random);
                end(one, rows, random);
            }
        } catch (SQLException | IOException | InterruptedException | RuntimeException e) {
            failed.set(e);
        }
    }

    /** Only a part of the rows of a transaction that is not taken back counts: those that a savepoint did not take. */
    private int write(Connection connection, String owner, Random random) throws SQLException, IOException {
        int rows = rows(connection, owner, random);
        if (random.nextInt(4) == 0) {
            Savepoint savepoint = connection.setSavepoint();
            rows(connection, owner, random);
            connection.rollback(savepoint);
        }
        if (random.nextInt(6) == 0) {
            try (PreparedStatement message =
                    connection.prepareStatement("SELECT pg_logical_emit_message(true, 'somebody-else', 'not ours')")) {
                message.execute();
            }
        }
        return rows;
    }

    private int rows(Connection connection, String owner, Random random) throws SQLException, IOException {
        String key = "key-" + owner + random.nextInt(KEYS_EACH);
        return switch (random.nextInt(5)) {
            case 0 -> copy(connection, key, 2 + random.nextInt(30));
            case 1 -> many(connection, key, 2 + random.nextInt(5));
            case 2 -> {
                App.command(connection, EffectHandler.NAME, key, "{\"n\":" + numbers.incrementAndGet() + "}");
                yield 1;
            }
            default -> {
                App.event(connection, "shop.placed", key, numbers.incrementAndGet());
                yield 1;
            }
        };
    }

    private int many(Connection connection, String key, int rows) throws SQLException {
        int last = numbers.addAndGet(rows);
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + App.EVENTS
                + " (event_name, ordering_key, payload) SELECT 'shop.many', ?, json_build_object('n', n)"
                + " FROM generate_series(?, ?) AS n")) {
            statement.setString(1, key);
            statement.setInt(2, last - rows + 1);
            statement.setInt(3, last);
            statement.executeUpdate();
        }
        return rows;
    }

    private int copy(Connection connection, String key, int rows) throws SQLException, IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            text.append(UUID.randomUUID())
                    .append("\tshop.copied\t")
                    .append(key)
                    .append("\t{\"n\":")
                    .append(numbers.incrementAndGet())
                    .append("}\n");
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "COPY " + App.EVENTS + " (id, event_name, ordering_key, payload) FROM STDIN",
                        new StringReader(text.toString()));
        return rows;
    }

    private void end(Connection connection, int rows, Random random) throws SQLException {
        if (random.nextInt(6) == 0) {
            connection.rollback();
        } else {
            connection.commit();
            committed.addAndGet(rows);
        }
    }

    private void waitForDeliveries() throws InterruptedException {
        synchronized (gate) {
            while (!ending && committed.get() - delivered.getAsInt() > MOST_AHEAD) {
                gate.wait(20); // Looks again by itself: who delivers does not know us.
            }
        }
    }
}
