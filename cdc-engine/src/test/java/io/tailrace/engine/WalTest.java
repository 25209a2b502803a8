package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The log that the slot holds back comes down by itself, whoever writes. The server moves {@code restart_lsn} when the engine has
 * confirmed a record of running transactions, which it writes every 15 s, and at a checkpoint: these tests ask for one and wait less.
 */
@RealParts
class WalTest {

    private static final long MIB = 1L << 20;

    /** What may be held back at rest: heartbeats between two records of running transactions, and what other tests write. */
    private static final long AT_REST = 2 * MIB;

    /** Rows that a clean-up deletes; a million takes minutes, and nothing of it changes but the time. */
    private static final int CLEANED = Integer.getInteger("tailrace.cleaned", 50_000);

    @Test
    void anIdleOutboxHoldsNothingBackAlsoFromARestartOn(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String other = stack.anotherDatabase("other");
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            fixture.awaitState(Health.State.READY);
            stack.execute("CREATE TABLE other (filler text)");
            try (Connection connection =
                    DriverManager.getConnection(stack.postgres().jdbcUrl(other))) {
                execute(connection, "CREATE TABLE elsewhere (filler text)");
                writes(connection, "elsewhere", 20_000);
            }
            try (Connection connection = stack.connect()) {
                writes(connection, "other", 10_000);
                connection.setAutoCommit(false);
                execute(
                        connection,
                        "INSERT INTO tailrace.outbox (event_name, payload)"
                                + " SELECT 'rolled.back', to_json(repeat('x', 1000)) FROM generate_series(1, 10000)");
                connection.rollback();
            }
            awaitRelease(stack, fixture);
            assertThat(fixture.registry
                            .get(EngineMetrics.PREFIX + "rows")
                            .counter()
                            .count())
                    .as("nothing of it was sent")
                    .isZero();
        }
        try (Connection connection =
                DriverManager.getConnection(stack.postgres().jdbcUrl(other))) {
            writes(connection, "elsewhere", 20_000);
        }
        assertThat(retained(stack)).as("while nobody reads").isGreaterThan(10 * MIB);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            awaitRelease(stack, fixture);
        }
    }

    @Test
    void aCleanUpOfManyRowsHoldsNothingBackAndStopsNobody(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        fillToClean(stack);
        Latencies without = besideACleanUp(stack);
        // What was cleaned away is in the log still: the engine reads it all.
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            awaitRows(fixture, CLEANED + without.count());
            fillToClean(stack);
            awaitRows(fixture, 2L * CLEANED + without.count());
            Latencies with = besideACleanUp(stack);
            System.out.printf(
                    "Insert and commit beside a clean-up of %d rows, microseconds: without the engine %s, with it %s%n",
                    CLEANED, without, with);
            awaitRelease(stack, fixture);
            awaitRows(fixture, 2L * CLEANED + without.count() + with.count());
            assertThat(fixture.engine.health().state()).isEqualTo(Health.State.READY);
        }
    }

    private static void fillToClean(Stack stack) throws SQLException {
        stack.execute(
                "INSERT INTO tailrace.outbox (event_name, payload) SELECT 'to.clean', '{}' FROM generate_series(1, "
                        + CLEANED + ")");
    }

    private static void awaitRows(EngineFixture fixture, long rows) {
        await().atMost(Duration.ofSeconds(60 + CLEANED / 1000))
                .until(() -> fixture.registry
                                .get(EngineMetrics.PREFIX + "rows")
                                .counter()
                                .count()
                        == rows);
    }

    /** Inserts one row after another for as long as the clean-up takes, which goes through the table in steps of some thousand rows, with a breath between. */
    private static Latencies besideACleanUp(Stack stack) throws SQLException {
        CompletableFuture<Void> cleanUp = CompletableFuture.runAsync(() -> {
            try {
                stack.execute("""
                        DO $$
                        DECLARE
                          pages bigint := pg_relation_size('tailrace.outbox') / current_setting('block_size')::bigint;
                        BEGIN
                          FOR page IN 0..pages BY 20 LOOP
                            DELETE FROM tailrace.outbox WHERE event_name = 'to.clean'
                              AND ctid >= format('(%s,0)', page)::tid AND ctid < format('(%s,0)', page + 20)::tid;
                            COMMIT;
                            PERFORM pg_sleep(0.01);
                          END LOOP;
                        END $$""");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        List<Long> took = new ArrayList<>();
        try (Connection connection = stack.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tailrace.outbox (event_name, payload) VALUES ('beside.it', '{}')")) {
            do {
                long began = System.nanoTime();
                insert.executeUpdate();
                took.add(System.nanoTime() - began);
            } while (!cleanUp.isDone());
        }
        cleanUp.join();
        return Latencies.of(took);
    }

    private record Latencies(int count, long p50, long p99) {

        static Latencies of(List<Long> nanos) {
            List<Long> sorted = nanos.stream().sorted().toList();
            return new Latencies(
                    sorted.size(), sorted.get(sorted.size() / 2) / 1000, sorted.get(sorted.size() * 99 / 100) / 1000);
        }
    }

    private static void awaitRelease(Stack stack, EngineFixture fixture) throws SQLException {
        String end = EngineFixture.query(stack, "SELECT pg_current_wal_lsn()::text");
        await().alias("everything is confirmed")
                .atMost(EngineFixture.PATIENCE)
                .until(() -> EngineFixture.query(
                                stack,
                                "SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE database = '%s'"
                                        .formatted(end, stack.database()))
                        .equals("t"));
        await().alias("the log is let go")
                .pollInterval(Duration.ofMillis(500))
                .atMost(EngineFixture.PATIENCE)
                .until(() -> {
                    stack.execute("CHECKPOINT");
                    return retained(stack) < AT_REST;
                });
        // The gauges say the same, a beat later.
        await().atMost(EngineFixture.PATIENCE)
                .until(() -> fixture.gauge("slot.retained") < AT_REST
                        && fixture.gauge("slot.unconfirmed") < AT_REST
                        && fixture.gauge("position.lag") < AT_REST);
    }

    private static long retained(Stack stack) throws SQLException {
        return Long.parseLong(EngineFixture.query(
                stack,
                "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint FROM pg_replication_slots WHERE database = '"
                        + stack.database() + "'"));
    }

    private static void writes(Connection connection, String table, int rows) throws SQLException {
        execute(connection, "INSERT INTO " + table + " SELECT repeat('x', 1000) FROM generate_series(1, " + rows + ")");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
