package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.Health;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** On real parts: what would lose or double rows does not start, and says why. The words are tested in PreflightTest. */
@RealParts
class RefusalTest {

    @Test
    void tablesThatWereNeverMigrated(Stack stack) {
        assertRefused(stack, "has no row", "tailrace db migrate");
        assertThat(stack.topics()).as("a refused engine makes no topics").isEmpty();
    }

    @Test
    void aSlotThatIsMissingOverRowsThatNobodyCaptured(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')", dropSlot(stack));
        assertRefused(stack, "Slot " + slot(stack) + " is missing", "hold rows already, which nobody captured");
    }

    @Test
    void aSlotThatIsGoneOrWasMadeAnewAfterRowsWereCaptured(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        captureOneRow(stack);
        stack.execute(dropSlot(stack), "INSERT INTO tailrace.outbox (event_name) VALUES ('in.the-gap')");
        assertRefused(stack, "Slot " + slot(stack) + " is gone", "were captured by nobody");
        stack.execute("SELECT pg_create_logical_replication_slot('" + slot(stack) + "', 'pgoutput')");
        assertRefused(stack, "somebody moved or re-created the slot", "were captured by nobody");
    }

    @Test
    void aSlotThatSomebodyMoved(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        captureOneRow(stack);
        stack.execute(
                "INSERT INTO tailrace.outbox (event_name) VALUES ('in.the-gap')",
                "SELECT pg_replication_slot_advance('" + slot(stack) + "', pg_current_wal_lsn())");
        assertRefused(stack, "somebody moved or re-created the slot", "Gap: from 0/", "engine recover --from-table");
    }

    @Test
    void aSlotOfAnotherDatabaseThatHasTheName(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute(dropSlot(stack));
        String other = stack.anotherDatabase("o");
        try (Connection connection =
                        DriverManager.getConnection(stack.postgres().jdbcUrl(other));
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_create_logical_replication_slot('" + slot(stack) + "', 'pgoutput')");
        }
        assertRefused(stack, "of plugin 'pgoutput' in database '" + other + "'", "may be another application's");
    }

    @Test
    void aPublicationThatPassesRowsOver(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String publication = "ALTER PUBLICATION " + slot(stack);
        stack.execute(publication + " DROP TABLE tailrace.internal_command");
        assertRefused(
                stack, "does not publish \"tailrace\".\"internal_command\"", "Run: ALTER PUBLICATION", "--dry-run");
        stack.execute(publication + " SET TABLE tailrace.outbox WHERE (id IS NOT NULL), tailrace.internal_command");
        assertRefused(stack, "filters the rows of \"tailrace\".\"outbox\"");
        stack.execute(publication + " SET TABLE tailrace.outbox, tailrace.internal_command (id)");
        assertRefused(stack, "leaves out columns of \"tailrace\".\"internal_command\" that are captured: causation_id");
        stack.execute(
                publication + " SET TABLE tailrace.outbox, tailrace.internal_command",
                publication + " SET (publish_via_partition_root = false)");
        assertRefused(stack, "does not publish partitions as their root", "SET (publish_via_partition_root = true)");
        stack.execute(publication + " SET (publish_via_partition_root = true, publish = 'update')");
        assertRefused(stack, "does not publish INSERT");
        stack.execute("DROP PUBLICATION " + slot(stack));
        String missing = assertRefused(stack, "Publication " + slot(stack) + " is missing", "Gap: from 0/");
        // The statement that it gives is one that helps.
        stack.execute(missing.substring(missing.indexOf("CREATE PUBLICATION"), missing.indexOf('\n')));
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            assertThat(fixture.engine.health().state()).isNotEqualTo(Health.State.FAILED);
        }
    }

    @Test
    void aPublicationThatWasMadeAnew(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        captureOneRow(stack);
        stack.execute(
                "ALTER PUBLICATION " + slot(stack) + " RENAME TO the_old_one",
                "CREATE PUBLICATION " + slot(stack)
                        + " FOR TABLE tailrace.outbox, tailrace.internal_command WITH (publish = 'insert', publish_via_partition_root = true)");
        assertRefused(stack, "was dropped and made again since the last position", "engine recover");
    }

    @Test
    void aRoleThatMayNotDoIt(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String role = stack.namespace() + "_weak";
        stack.execute("CREATE ROLE " + role + " LOGIN");
        try {
            assertRefused(
                    stack, config(stack, role), "refuses user " + role, "ALTER ROLE \"" + role + "\" REPLICATION");
            stack.execute("ALTER ROLE " + role + " REPLICATION");
            assertRefused(
                    stack,
                    config(stack, role),
                    "GRANT USAGE ON SCHEMA \"tailrace\" TO \"" + role + "\"",
                    "GRANT SELECT, UPDATE ON \"tailrace\".\"source\" TO \"" + role + "\"");
            stack.execute(
                    "GRANT USAGE ON SCHEMA tailrace TO " + role, "GRANT SELECT, UPDATE ON tailrace.source TO " + role);
            try (EngineFixture fixture = new EngineFixture(stack, config(stack, role)).started()) {
                fixture.awaitState(Health.State.READY);
            }
        } finally {
            stack.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void topicsThatWouldLoseRows(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        TailraceConfig config = config(stack, "postgres");
        TopicsConfig topics = config.topics();
        TopicsConfig made = new TopicsConfig(
                topics.partitions(),
                topics.replication(),
                topics.minInsyncReplicas(),
                false,
                topics.maxMessageBytes(),
                topics.rawRetention());
        assertRefused(
                stack,
                new TailraceConfig(
                        config.namespace(),
                        config.source(),
                        config.kafka(),
                        made,
                        config.engine(),
                        config.router(),
                        config.executor(),
                        config.http()),
                "raw.events is missing and topics.auto-create is off. Make it with: kafka-topics.sh",
                "positions is missing");
        stack.createTopic("raw.events", 2, Map.of("retention.ms", "60000"));
        stack.createTopic("positions", 1, Map.of("cleanup.policy", "delete"));
        assertRefused(
                stack,
                "raw.events: partitions must be 3, is 2",
                "raw.events: retention.ms must be 1209600000 or more, is 60000. Mend it with: kafka-configs.sh",
                "positions: cleanup.policy must be compact, is delete");
    }

    @Test
    void aPositionThatIsLost(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        captureOneRow(stack);
        losePosition(stack);
        assertRefused(stack, "The position of slot " + slot(stack) + " is lost");
    }

    @Test
    void tablesThatBelongToAnotherSlot(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("UPDATE tailrace.source SET slot = 'another_slot'");
        assertRefused(stack, "with slot another_slot; this engine is", "with slot " + slot(stack));
    }

    @Test
    void tablesThatBelongToAnotherNamespace(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String other = stack.namespace() + "o";
        try (EngineFixture fixture = new EngineFixture(
                stack,
                EngineFixture.config(other, stack.database(), stack.postgres().port(), stack.bootstrapServers()))) {
            assertThatThrownBy(fixture::started)
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("belong to namespace '" + stack.namespace() + "'")
                    .hasMessageContaining("publish every row twice");
        }
    }

    static void losePosition(Stack stack) throws Exception {
        // A tombstone is what is left when somebody deletes it.
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(ClientSettings.producer(new KafkaConfig(stack.bootstrapServers(), Map.of())))) {
            producer.send(new ProducerRecord<>(
                            stack.namespace() + ".positions", slot(stack).getBytes(StandardCharsets.UTF_8), null))
                    .get();
        }
    }

    private static void captureOneRow(Stack stack) throws Exception {
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
        // The server notices a moment later that lease and stream are over; until then the slot cannot be moved, and
        // the next engine
        // would be a standby that waits, and refuse nothing.
        await().atMost(EngineFixture.PATIENCE)
                .until(() -> EngineFixture.query(
                                stack,
                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
                        .equals("0"));
    }

    private static String assertRefused(Stack stack, String... words) {
        return assertRefused(stack, config(stack, "postgres"), words);
    }

    static String assertRefused(Stack stack, TailraceConfig config, String... words) {
        try (EngineFixture fixture = new EngineFixture(stack, config)) {
            StartRefused refused = catchThrowableOfType(StartRefused.class, fixture::started);
            assertThat(refused)
                    .as("refused because: %s", String.join(", ", words))
                    .isNotNull();
            assertThat(refused.getMessage()).contains(words);
            assertThat(fixture.engine.health().state()).isEqualTo(Health.State.FAILED);
            return String.valueOf(refused.getMessage());
        }
    }

    private static TailraceConfig config(Stack stack, String user) {
        TailraceConfig config = EngineFixture.config(
                stack.namespace(), stack.database(), stack.postgres().port(), stack.bootstrapServers());
        SourceConfig source = config.source();
        return new TailraceConfig(
                config.namespace(),
                new SourceConfig(
                        source.host(),
                        source.port(),
                        source.database(),
                        user,
                        source.password(),
                        source.sslMode(),
                        source.tables()),
                config.kafka(),
                config.topics(),
                config.engine(),
                config.router(),
                config.executor(),
                config.http());
    }

    private static String dropSlot(Stack stack) {
        return EngineFixture.dropSlot(slot(stack));
    }

    private static String slot(Stack stack) {
        return "tailrace_" + stack.namespace() + "_" + stack.database();
    }
}
