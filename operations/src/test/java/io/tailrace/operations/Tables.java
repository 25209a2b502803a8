package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The tables of a test, and its slot: the test is the engine. */
final class Tables {

    final TailraceConfig config;
    private final Stack stack;

    Tables(Stack stack, TailraceConfig config) {
        this.stack = stack;
        this.config = config;
    }

    static Tables on(Stack stack) throws SQLException {
        TailraceConfig config = ParkedRows.config(
                stack.namespace(),
                stack.bootstrapServers(),
                "127.0.0.1",
                stack.postgres().port(),
                stack.database());
        try (Connection connection = stack.connect()) {
            Schema.migrate(
                    connection,
                    TableNames.DEFAULT,
                    Scope.ALL,
                    Ownership.of(config.namespace(), config.source().name()));
        }
        return new Tables(stack, config);
    }

    static String id(int n) {
        return new UUID(0x0190b7a000007000L, 0x8000000000000000L + n).toString();
    }

    void event(int n, String age) throws SQLException {
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, occurred_at) VALUES ('" + id(n)
                + "', 'a.thing', now() - interval '" + age + "')");
    }

    /** @param doneAge null when it is not */
    void command(int n, String status, @Nullable String doneAge, String runAt) throws SQLException {
        String completed = doneAge == null ? "NULL" : "now() - interval '" + doneAge + "'";
        stack.execute(
                "INSERT INTO tailrace.internal_command (id, command_name, status, completed_at, run_at, created_at) VALUES ('"
                        + id(n) + "', 'mail', '" + status + "', " + completed + ", " + runAt
                        + ", now() - interval '60 days')");
    }

    /** It was stamped, and stands in its key. */
    void standing(int n, String key, int place) throws SQLException {
        set(n, "ordering_key = '" + key + "', place = " + place + ", turn = greatest(turn, 1)");
    }

    void delivery(int n, String doneAge) throws SQLException {
        stack.execute("INSERT INTO tailrace.delivery (subscription, event_id, status, completed_at) VALUES ('s', '"
                + id(n) + "', 'COMPLETED', now() - interval '" + doneAge + "')");
    }

    /** One that waits at its place, and was stamped first an hour ago. Its event was captured in partition 0. */
    void waitingDelivery(String subscription, int n, String key, int place, String notBefore, int rawOffset)
            throws SQLException {
        stack.execute(
                "INSERT INTO tailrace.delivery (subscription, event_id, event_name, source, ordering_key, raw_partition, raw_offset, turn,"
                        + " place, not_before, created_at) VALUES ('"
                        + subscription + "', '" + id(n) + "', 'a.thing', '" + config.ceSource() + "', '" + key
                        + "', 0, "
                        + rawOffset + ", 2, (1::bigint << 48) + " + place + ", " + notBefore
                        + ", now() - interval '1 hour')");
    }

    /** One that died so long ago. */
    void deadDelivery(String subscription, int n, String age) throws SQLException {
        stack.execute(
                "INSERT INTO tailrace.delivery (subscription, event_id, source, status, turn, failed_at, announced_at) VALUES ('"
                        + subscription + "', '" + id(n) + "', '" + config.ceSource()
                        + "', 'DEAD', 3, now() - interval '"
                        + age + "', now())");
    }

    void setDelivery(int n, String set) throws SQLException {
        stack.execute("UPDATE tailrace.delivery SET " + set + " WHERE event_id = '" + id(n) + "'");
    }

    void set(int n, String set) throws SQLException {
        stack.execute("UPDATE tailrace.internal_command SET " + set + " WHERE id = '" + id(n) + "'");
    }

    /** The engine has read all there is. */
    void readAll() throws SQLException {
        stack.execute(
                "SELECT pg_logical_emit_message(true, 'tailrace.heartbeat', '')",
                "SELECT pg_replication_slot_advance('" + config.slot() + "', pg_current_wal_insert_lsn())");
    }

    /** An engine that reads all there is, again and again, until it is closed. */
    Reading reading() {
        CountDownLatch closed = new CountDownLatch(1);
        Thread engine = new Thread(() -> {
            try {
                while (!closed.await(50, TimeUnit.MILLISECONDS)) {
                    readAll();
                }
            } catch (SQLException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        engine.start();
        return () -> {
            closed.countDown();
            engine.join();
        };
    }

    /** To be closed. */
    interface Reading extends AutoCloseable {
        @Override
        void close() throws InterruptedException;
    }

    /** Ids of all tables, the last two digits. */
    Set<Integer> rows() throws SQLException {
        Set<Integer> rows = new TreeSet<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet ids = statement.executeQuery(
                        "SELECT id FROM tailrace.outbox UNION ALL SELECT id FROM tailrace.internal_command"
                                + " UNION ALL SELECT event_id FROM tailrace.delivery")) {
            while (ids.next()) {
                rows.add((int) (ids.getObject(1, UUID.class).getLeastSignificantBits() & 0xFFFF));
            }
        }
        return rows;
    }

    String ofDelivery(int n, String column) throws SQLException {
        return text("SELECT " + column + " FROM tailrace.delivery WHERE event_id = '" + id(n) + "'");
    }

    String text(String query) throws SQLException {
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            found.next();
            return String.valueOf(found.getString(1));
        }
    }

    String column(int n, String column) throws SQLException {
        return text("SELECT " + column + " FROM tailrace.internal_command WHERE id = '" + id(n) + "'");
    }
}
