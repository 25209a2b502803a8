package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@RealParts
class StackTest {

    private static final Duration AT_MOST = Duration.ofSeconds(20);
    private static final Set<String> NAMESPACES = new HashSet<>();

    /** The second run finds nothing of the first, whatever that left behind. */
    @RepeatedTest(2)
    void everyTestStartsEmpty(Stack stack) throws Exception {
        assertThat(NAMESPACES.add(stack.namespace())).isTrue();
        assertThat(stack.topics()).isEmpty();
        try (Connection connection = stack.connect();
                var left = connection
                        .createStatement()
                        .executeQuery("SELECT (SELECT count(*) FROM pg_replication_slots)"
                                + " + (SELECT count(*) FROM pg_database WHERE datname ~ '^t' AND datname <> 'template0'"
                                + " AND datname <> 'template1' AND datname <> current_database())")) {
            left.next();
            assertThat(left.getInt(1)).isZero();
        }
        stack.execute(
                "CREATE TABLE only_here (n int)",
                "SELECT pg_create_logical_replication_slot('" + stack.namespace() + "', 'pgoutput')");
        stack.anotherDatabase("second");
        stack.createTopic("left", 2);
        // Left open on purpose: the database must go all the same.
        stack.connect().createStatement().execute("BEGIN; INSERT INTO only_here VALUES (1)");
    }

    @Test
    void theReaderSeesWhatWasCommittedAndWaitsForMore(Stack stack) {
        String topic = stack.createTopic("read", 3);
        try (KafkaProducer<byte[], byte[]> producer = transactional(stack)) {
            send(producer, topic, true, "a", "b", "c");
            send(producer, topic, false, "aborted");
            send(producer, topic, true, "d");

            assertThat(values(stack.reader().read(topic))).containsExactlyInAnyOrder("a", "b", "c", "d");
            assertThat(values(stack.reader().uncommitted().read(topic)))
                    .hasSize(5)
                    .contains("aborted");

            CompletableFuture<List<String>> waiting =
                    CompletableFuture.supplyAsync(() -> values(stack.reader().awaitCount(5, AT_MOST, topic)));
            send(producer, topic, true, "e");
            assertThat(waiting.join()).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
        }
        assertThatThrownBy(() -> stack.reader().awaitCount(6, Duration.ofSeconds(3), topic))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("at least 6 records")
                .hasMessageContaining("read 5 records");
        assertThatThrownBy(() -> stack.reader().read(stack.namespace() + ".none"))
                .hasMessageContaining("There is no topic");
    }

    @Test
    void anOutageOfEitherServerEndsOnTheSameAddress(Stack stack) throws Exception {
        String topic = stack.createTopic("kept", 1);
        stack.execute("CREATE TABLE kept AS SELECT 1 AS n");

        stack.postgres().stopImmediate();
        assertThatThrownBy(stack::connect).hasMessageContaining("refused");
        stack.postgres().start();
        stack.kafka().stop();
        stack.kafka().start();

        stack.execute("INSERT INTO kept VALUES (2)");
        assertThat(stack.topics()).containsExactly(topic);
    }

    private static KafkaProducer<byte[], byte[]> transactional(Stack stack) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", stack.bootstrapServers(), "transactional.id", stack.namespace()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, boolean commit, String... values) {
        producer.beginTransaction();
        for (String value : values) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            var acknowledged = producer.send(new ProducerRecord<>(topic, bytes, bytes));
            assertThat(acknowledged).isNotNull();
        }
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.flush();
            producer.abortTransaction();
        }
    }

    private static List<String> values(List<org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]>> read) {
        return read.stream()
                .map(each -> new String(each.value(), StandardCharsets.UTF_8))
                .toList();
    }
}
