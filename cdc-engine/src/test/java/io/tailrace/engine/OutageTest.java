package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.crash.CrashLoop;
import io.tailrace.engine.source.Lease;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Outages are waited out, holders are succeeded, and a stop is short whatever is down. */
@RealParts
class OutageTest {

    @Test
    void whatIsRolledBackEmitsNothing(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Connection connection = stack.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            insert(statement, "rolled.back");
            connection.rollback();
            insert(statement, "kept.first");
            Savepoint savepoint = connection.setSavepoint();
            insert(statement, "rolled.back");
            connection.rollback(savepoint);
            insert(statement, "kept.second");
            connection.commit();
            insert(statement, "kept.last");
            connection.commit();
            assertThat(types(stack.reader().awaitCount(3, EngineFixture.PATIENCE, fixture.topics.rawEvents())))
                    .containsExactlyInAnyOrder("kept.first", "kept.second", "kept.last");
        }
    }

    @Test
    void postgresAndTheBrokerMayRestart(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('before.all')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());

            stack.postgres().stopImmediate();
            fixture.awaitState(Health.State.WAITING);
            stack.postgres().start();
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('after.postgres')");
            stack.reader().awaitCount(2, EngineFixture.PATIENCE, fixture.topics.rawEvents());

            stack.kafka().stop();
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('without.broker')");
            stack.kafka().start();
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('after.broker')");
            assertThat(types(stack.reader().awaitCount(4, EngineFixture.PATIENCE, fixture.topics.rawEvents())))
                    .containsExactlyInAnyOrder("before.all", "after.postgres", "without.broker", "after.broker");
            fixture.awaitState(Health.State.READY);
        }
    }

    @Test
    void aStandbyTouchesNothingAndTakesOver(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (ChildJvm holder = CrashTest.child(stack)) {
            holder.awaitLine(CrashLoop.READY, EngineFixture.PATIENCE);
            try (EngineFixture standby = new EngineFixture(stack).started()) {
                assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
                stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('with.standby')");
                stack.reader().awaitCount(1, EngineFixture.PATIENCE, standby.topics.rawEvents());
                assertThat(holder.output())
                        .as("the holder was never disturbed")
                        .noneMatch(line -> line.contains("WAITING"));

                // Stopped in its tracks, its connections open: the lease ends by itself.
                holder.pause();
                long paused = System.nanoTime();
                stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('while.paused')");
                stack.reader().awaitCount(2, EngineFixture.PATIENCE, standby.topics.rawEvents());
                assertThat(Duration.ofNanos(System.nanoTime() - paused)).isLessThan(Lease.IDLE_LIMIT.plusSeconds(10));

                // It wakes up, finds itself succeeded and stands by; what it still had in hand is published by nobody
                // twice.
                holder.resume();
                holder.awaitLine("engine is STANDBY", EngineFixture.PATIENCE);
                stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('after.all')");
                assertThat(types(stack.reader().awaitCount(3, EngineFixture.PATIENCE, standby.topics.rawEvents())))
                        .containsExactlyInAnyOrder("with.standby", "while.paused", "after.all");
                standby.awaitState(Health.State.READY);
            }
        }
    }

    @Test
    void aStopIsShortWhateverIsDown(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String own = stack.database();
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            EngineFixture silent = new EngineFixture(
                            stack, EngineFixture.config(stack.namespace(), own, proxy.port(), stack.bootstrapServers()))
                    .started();
            silent.awaitState(Health.State.READY);
            proxy.silence();
            assertShortStop(silent);
            proxy.resume();
            proxy.cutAll();
        }
        EngineFixture brokerless = new EngineFixture(stack).started();
        brokerless.awaitState(Health.State.READY);
        stack.kafka().stop();
        stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('without.broker')");
        String end = query(stack, "SELECT pg_current_wal_lsn()::text");
        await().alias("the row was sent to the engine, whose batch cannot end")
                .atMost(EngineFixture.PATIENCE)
                .until(() -> query(stack, "SELECT bool_or(sent_lsn >= '%s') FROM pg_stat_replication".formatted(end))
                        .equals("t"));
        assertShortStop(brokerless);
        EngineFixture neverThere = new EngineFixture(stack).started();
        assertThat(neverThere.engine.health().state()).isEqualTo(Health.State.WAITING);
        assertShortStop(neverThere);
        stack.kafka().start();
        EngineFixture early = new EngineFixture(stack);
        assertShortStop(early);
        assertThat(early.engine.health().state()).isEqualTo(Health.State.STOPPED);
    }

    @Test
    void aRoleThatMayHardlyDoAnythingSuffices(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String role = stack.namespace() + "_engine";
        stack.execute(
                "CREATE ROLE " + role + " LOGIN REPLICATION",
                "GRANT USAGE ON SCHEMA tailrace TO " + role,
                "GRANT SELECT, UPDATE ON tailrace.source TO " + role);
        TailraceConfig all = EngineFixture.config(
                stack.namespace(), stack.database(), stack.postgres().port(), stack.bootstrapServers());
        SourceConfig source = new SourceConfig(
                "127.0.0.1",
                stack.postgres().port(),
                stack.database(),
                role,
                Secret.of(""),
                "disable",
                TableNames.DEFAULT);
        TailraceConfig config = new TailraceConfig(
                all.namespace(),
                source,
                all.kafka(),
                all.topics(),
                all.engine(),
                all.router(),
                all.executor(),
                all.http());
        try (EngineFixture fixture = new EngineFixture(stack, config).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        } finally {
            stack.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void anIdleOutboxLetsTheSlotMoveOn(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            fixture.awaitState(Health.State.READY);
            stack.execute("CREATE TABLE other AS SELECT repeat('x', 1000) AS filler FROM generate_series(1, 5000)");
            String end = query(stack, "SELECT pg_current_wal_lsn()::text");
            await().atMost(EngineFixture.PATIENCE)
                    .until(() -> query(
                                    stack,
                                    "SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE database = '%s'"
                                            .formatted(end, stack.database()))
                            .equals("t"));
        }
    }

    private static void assertShortStop(EngineFixture fixture) {
        long began = System.nanoTime();
        fixture.close();
        fixture.close();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
        assertThat(fixture.engine.health().state()).isEqualTo(Health.State.STOPPED);
        assertThat(fixture.halts).hasValue(0);
    }

    private static void insert(Statement statement, String name) throws SQLException {
        statement.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('" + name + "')");
    }

    private static List<String> types(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(record -> EngineFixture.header(record, "ce_type"))
                .toList();
    }

    private static String query(Stack stack, String sql) throws SQLException {
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }
}
