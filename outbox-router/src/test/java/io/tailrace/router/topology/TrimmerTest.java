package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.topology.Trimmer.Readers;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What may be deleted, and that it is. */
@RealParts
class TrimmerTest {

    @Test
    void nothingGoesBeforeEveryReaderHasPassedIt() {
        assertThat(Trimmer.end(List.of(), -1)).as("nobody is known to read it").isZero();
        assertThat(Trimmer.end(List.of(OptionalLong.of(7), OptionalLong.empty()), -1))
                .isZero();
        assertThat(Trimmer.end(List.of(OptionalLong.of(7), OptionalLong.of(5)), -1))
                .isEqualTo(5);
        assertThat(Trimmer.end(List.of(OptionalLong.of(7)), 3))
                .as("the fourth is young")
                .isEqualTo(3);
    }

    @Test
    void recordsGoBehindTheSlowestGroup(Stack stack) throws Exception {
        String topic = stack.namespace() + ".trimmed";
        TopicPartition partition = new TopicPartition(topic, 0);
        String prefix = stack.namespace() + ".executor.commands.";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            write(stack, topic, 10);
            commit(admin, prefix + "shop", partition, 8);
            Map<String, Readers> topics = Map.of(topic, new Readers(Set.of(prefix + "shop"), Set.of(prefix)));

            new Trimmer(admin, topics, Duration.ofDays(1), Clock.systemUTC()).trim();
            assertThat(first(admin, partition)).as("all are young").isZero();

            Clock tomorrow = Clock.offset(Clock.systemUTC(), Duration.ofDays(2));
            Map<String, Readers> other = Map.of(topic, new Readers(Set.of("another", prefix + "shop"), Set.of()));
            new Trimmer(admin, other, Duration.ofDays(1), tomorrow).trim();
            assertThat(first(admin, partition)).as("another has not begun").isZero();

            commit(admin, prefix + "books", partition, 4);
            new Trimmer(admin, topics, Duration.ofDays(1), tomorrow).trim();
            assertThat(first(admin, partition))
                    .as("of a source served elsewhere")
                    .isEqualTo(4);
        }
    }

    /** Nothing that the scrub of a source has not read is deleted, whether this process serves that source or another one does. */
    @Test
    void whoReadsThatRowsAreDoneIsWaitedForWhereThereAreSecrets() {
        TailraceConfig config = Configs.of(
                "shop",
                "nowhere:9092",
                1,
                new RoutesConfig(RoutesConfig.Default.CONTEXT, List.of()),
                new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), 1),
                Path.of("nowhere"));
        RedactConfig secrets =
                new RedactConfig(Map.of("sales.*", List.of("card")), Map.of(), RedactConfig.Scrub.ON_DONE);
        assertThat(config.topicNames().doneNotes()).isNotEmpty().allSatisfy(topic -> {
            Readers withSecrets = Objects.requireNonNull(
                    RouterTopology.trimmed(config.with(secrets)).get(topic));
            assertThat(withSecrets.known()).containsExactlyInAnyOrder("shop.router", "shop.scrub.shop");
            assertThat(withSecrets.mayInclude("shop.scrub.books")).isTrue();
            Readers without =
                    Objects.requireNonNull(RouterTopology.trimmed(config).get(topic));
            assertThat(without.known()).containsExactly("shop.router");
            assertThat(without.mayInclude("shop.scrub.shop")).isFalse();
        });
    }

    private static void write(Stack stack, String topic, int records) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", stack.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(topic, "x".getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private static void commit(Admin admin, String group, TopicPartition partition, long offset) throws Exception {
        admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    private static long first(Admin admin, TopicPartition partition) throws Exception {
        return admin.listOffsets(Map.of(partition, OffsetSpec.earliest()))
                .partitionResult(partition)
                .get()
                .offset();
    }
}
