package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** What is rolled back is not sent, outages are waited out, and a role needs little. */
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
            // The connection that watches the slot broke as well.
            await().atMost(EngineFixture.PATIENCE).until(() -> fixture.gauge("slot.active") == 1);
        }
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

    private static void insert(Statement statement, String name) throws SQLException {
        statement.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('" + name + "')");
    }

    private static List<String> types(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(record -> EngineFixture.header(record, "ce_type"))
                .toList();
    }
}
