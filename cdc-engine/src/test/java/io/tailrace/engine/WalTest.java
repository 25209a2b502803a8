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
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The log that the slot holds back comes down by itself, whoever writes. The server moves {@code restart_lsn} when the engine has
 * confirmed a record of running transactions, which it writes every 15 s; nothing here asks it to.
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
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name, payload)"
                    + " SELECT 'to.clean', '{}' FROM generate_series(1, " + CLEANED + ")");
            await().atMost(Duration.ofSeconds(60 + CLEANED / 1000))
                    .until(() -> fixture.registry
                                    .get(EngineMetrics.PREFIX + "rows")
                                    .counter()
                                    .count()
                            >= CLEANED);
            long[] alone = insertNanos(stack, 200);
            CompletableFuture<Void> cleanUp = CompletableFuture.runAsync(() -> {
                try {
                    stack.execute("DELETE FROM tailrace.outbox WHERE event_name = 'to.clean'");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            long[] beside = insertNanos(stack, 200);
            cleanUp.join();
            System.out.printf(
                    "Insert and commit, microseconds, p50 and p99: alone %d and %d, beside a clean-up of %d rows %d and %d%n",
                    alone[100] / 1000, alone[197] / 1000, CLEANED, beside[100] / 1000, beside[197] / 1000);
            awaitRelease(stack, fixture);
            await().atMost(EngineFixture.PATIENCE)
                    .until(() -> fixture.registry
                                    .get(EngineMetrics.PREFIX + "rows")
                                    .counter()
                                    .count()
                            == CLEANED + 400);
            assertThat(fixture.engine.health().state()).isEqualTo(Health.State.READY);
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
        // The server notes every 15 s which transactions run, and only then lets go; a checkpoint makes it do so at
        // once.
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

    /** Each with its commit; sorted. */
    private static long[] insertNanos(Stack stack, int count) throws SQLException {
        long[] took = new long[count];
        try (Connection connection = stack.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tailrace.outbox (event_name, payload) VALUES ('beside.it', '{}')")) {
            for (int i = 0; i < count; i++) {
                long began = System.nanoTime();
                insert.executeUpdate();
                took[i] = System.nanoTime() - began;
            }
        }
        Arrays.sort(took);
        return took;
    }
}
