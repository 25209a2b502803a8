package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.Health;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** On real parts: what would lose or double rows does not start, and says why. The words are tested in PreflightTest. */
@RealParts
class RefusalTest {

    @Test
    void tablesThatWereNeverMigrated(Stack stack) {
        assertRefused(stack, "has no row", "Publication", "is missing", "tailrace db migrate");
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
    void aPublicationThatLostATable(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("ALTER PUBLICATION " + slot(stack) + " DROP TABLE tailrace.internal_command");
        assertRefused(stack, "does not publish \"tailrace\".\"internal_command\"");
    }

    @Test
    void aPositionThatIsLost(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        captureOneRow(stack);
        // A tombstone is what is left when somebody deletes it.
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(ClientSettings.producer(new KafkaConfig(stack.bootstrapServers(), Map.of())))) {
            producer.send(new ProducerRecord<>(
                            stack.namespace() + ".positions", slot(stack).getBytes(StandardCharsets.UTF_8), null))
                    .get();
        }
        assertRefused(stack, "The position of slot " + slot(stack) + " is lost");
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

    private static void captureOneRow(Stack stack) throws Exception {
        try (EngineFixture fixture = new EngineFixture(stack).started()) {
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
        }
    }

    private static void assertRefused(Stack stack, String... words) {
        try (EngineFixture fixture = new EngineFixture(stack)) {
            assertThatThrownBy(fixture::started)
                    .isInstanceOf(StartRefused.class)
                    .message()
                    .contains(words);
            assertThat(fixture.engine.health().state()).isEqualTo(Health.State.FAILED);
        }
    }

    private static String dropSlot(Stack stack) {
        return "SELECT pg_drop_replication_slot('" + slot(stack) + "')";
    }

    private static String slot(Stack stack) {
        return "tailrace_" + stack.namespace() + "_" + stack.database();
    }
}
