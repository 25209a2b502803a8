package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Slots and publications take their names from the database, so that two of one server do not meet. */
@RealParts
class TwoDatabasesTest {

    @Test
    void oneServerAndDefaultNames(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String other = stack.anotherDatabase("o");
        TailraceConfig config =
                EngineFixture.config(stack.namespace(), other, stack.postgres().port(), stack.bootstrapServers());
        try (Connection connection =
                        DriverManager.getConnection(stack.postgres().jdbcUrl(other));
                Statement statement = connection.createStatement()) {
            Schema.migrate(
                    connection, TableNames.DEFAULT, Scope.ALL, Ownership.of(new Namespace(stack.namespace()), other));
            try (EngineFixture first = new EngineFixture(stack).started();
                    EngineFixture second = new EngineFixture(stack, config).started()) {
                stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('of.the-first')");
                statement.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('of.the-second')");
                first.awaitState(Health.State.READY);
                second.awaitState(Health.State.READY);
                List<ConsumerRecord<byte[], byte[]>> records =
                        stack.reader().awaitCount(2, EngineFixture.PATIENCE, first.topics.rawEvents());
                assertThat(records)
                        .extracting(record ->
                                EngineFixture.header(record, "ce_type") + EngineFixture.header(record, "ce_source"))
                        .containsExactlyInAnyOrder(
                                "of.the-first" + stack.namespace() + "/" + stack.database(),
                                "of.the-second" + stack.namespace() + "/" + other);
            }
        }
    }
}
