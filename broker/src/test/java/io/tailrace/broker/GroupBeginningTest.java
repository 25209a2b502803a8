package io.tailrace.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The table of crash points of {@link GroupBeginning}, line by line. */
@RealParts
class GroupBeginningTest {

    private Stack stack;
    private Admin admin;
    private KafkaConfig kafka;
    private String group;
    private String operations;
    private TopicPartition zero;
    private TopicPartition one;

    @BeforeEach
    void aTopicWhoseFirstRecordsAreGone(Stack given) {
        stack = given;
        admin = stack.admin();
        kafka = new KafkaConfig(stack.bootstrapServers(), Map.of());
        group = stack.namespace() + ".group";
        operations = stack.createTopic("operations", 1, Map.of("cleanup.policy", "compact"));
        String topic = stack.createTopic("due", 2);
        zero = new TopicPartition(topic, 0);
        one = new TopicPartition(topic, 1);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(ClientSettings.producer(kafka))) {
            for (int i = 0; i < 5; i++) {
                Ask.await(producer.send(new ProducerRecord<>(topic, 0, null, new byte[1])));
            }
        }
        trimmedTo(2);
    }

    @AfterEach
    void close() {
        admin.close();
    }

    @Test
    void nothingRememberedAndNoOffsetsBegins() {
        assertThat(ensure()).as("its first records are gone").containsExactly(zero);
        assertThat(offsets()).containsOnly(Map.entry(zero, 2L), Map.entry(one, 0L));
        assertThat(memory()).isEqualTo("begun");
        standsAt(zero, 4);
        assertThat(ensure()).isEmpty();
        assertThat(offsets()).as("it goes on").containsEntry(zero, 4L);
    }

    @Test
    void aKillBetweenTheTwoStatesIsRecovered() {
        remember("beginning");
        ensure();
        assertThat(offsets()).containsOnly(Map.entry(zero, 2L), Map.entry(one, 0L));
        assertThat(memory()).isEqualTo("begun");
    }

    /** The other way round a kill in between would leave offsets of which nobody knows whether they are all there are. */
    @Test
    void thatItBeginsIsRememberedBeforeTheFirstOffset() {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        try (KafkaConsumer<byte[], byte[]> stranger = new KafkaConsumer<>(settings)) {
            stranger.subscribe(List.of(operations));
            while (stranger.assignment().isEmpty()) {
                stranger.poll(Duration.ofMillis(100));
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
            assertThatThrownBy(this::ensure)
                    .as("nobody alters the offsets of a group that has members")
                    .isInstanceOf(UnknownMemberIdException.class);
            assertThat(memory()).isEqualTo("beginning");
            assertThat(offsets()).isEmpty();
        }
        ensure();
        assertThat(offsets()).containsOnly(Map.entry(zero, 2L), Map.entry(one, 0L));
        assertThat(memory()).isEqualTo("begun");
    }

    @Test
    void aKillAmongTheFirstOffsetsIsRecovered() {
        remember("beginning");
        standsAt(zero, 2);
        trimmedTo(3);
        ensure();
        assertThat(offsets()).containsOnly(Map.entry(zero, 3L), Map.entry(one, 0L));
    }

    @Test
    void begunWithoutAnOffsetRefuses() {
        remember("begun");
        standsAt(zero, 3);
        assertThatThrownBy(this::ensure)
                .isInstanceOf(StartRefused.class)
                .hasMessageContainingAll(group, one.toString(), "holds 0 to 0", "--to-offset 0");
        assertThat(offsets()).containsOnlyKeys(zero);
    }

    @Test
    void anOffsetOutOfRangeRefuses() {
        ensure();
        trimmedTo(4);
        assertThatThrownBy(this::ensure)
                .isInstanceOf(StartRefused.class)
                .hasMessageContainingAll(
                        group,
                        "stands at 2 of " + zero,
                        "holds 4 to 5",
                        "up to 2 records, 2 to 3, are gone unread",
                        "--to-offset 4");
        standsAt(zero, 6);
        assertThatThrownBy(this::ensure).isInstanceOf(StartRefused.class).hasMessageContaining("stands at 6");
    }

    @Test
    void offsetsWithoutAMemoryGoOn() {
        standsAt(zero, 4);
        assertThatThrownBy(this::ensure).isInstanceOf(StartRefused.class).hasMessageContaining(one.toString());
        standsAt(one, 0);
        ensure();
        assertThat(offsets()).containsEntry(zero, 4L);
        assertThat(memory()).isEqualTo("begun");
    }

    /** Two that start for the first time at once: the late one writes over the memory of one that already reads. */
    @Test
    void aLateBeginnerTakesNothingBack() {
        ensure();
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(settings)) {
            member.subscribe(List.of(zero.topic()));
            while (member.poll(Duration.ofMillis(100)).isEmpty()) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
            member.commitSync(Map.of(zero, new OffsetAndMetadata(5)));
            assertThatThrownBy(() -> standsAt(zero, 2))
                    .as("the broker protects a group that has members")
                    .isInstanceOf(UnknownMemberIdException.class);
            remember("beginning");
            assertThatCode(this::ensure).doesNotThrowAnyException();
        }
        assertThat(offsets()).containsEntry(zero, 5L);
        assertThat(memory()).isEqualTo("begun");
    }

    private List<TopicPartition> ensure() {
        return new GroupBeginning(admin, kafka, operations, group).ensure(List.of(zero.topic()));
    }

    private Map<TopicPartition, Long> offsets() {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> offsets.put(partition, offset.offset()));
        return offsets;
    }

    private void standsAt(TopicPartition partition, long offset) {
        Ask.await(admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(offset)))
                .all());
    }

    private void trimmedTo(long offset) {
        Ask.await(admin.deleteRecords(Map.of(zero, RecordsToDelete.beforeOffset(offset)))
                .all());
    }

    private Bytes key() {
        return Bytes.utf8("begun/" + group + "/" + zero.topic());
    }

    private void remember(String state) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(ClientSettings.producer(kafka))) {
            Ask.await(producer.send(
                    new ProducerRecord<>(operations, key().array(), state.getBytes(StandardCharsets.UTF_8))));
        }
    }

    private String memory() {
        return new CompactedTopic(kafka, operations)
                .read(key(), Duration.ofSeconds(30))
                .map(live -> live.value().utf8())
                .orElse("nothing");
    }
}
