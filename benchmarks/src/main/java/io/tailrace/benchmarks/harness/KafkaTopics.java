package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.RowNumber;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The topics of a run: made anew for each contender, and read to see what it delivered. */
public final class KafkaTopics implements AutoCloseable {

    /** As many as Tailrace makes by default. */
    private static final int PARTITIONS = 12;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String bootstrapServers;
    private final Admin admin;

    KafkaTopics(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
    }

    /** What was delivered of rows 0 to {@code wanted} - 1, and how often more than once. */
    public record Delivery(int distinct, int repeated) {}

    /** Removes every topic, then makes these. */
    public void reset(List<String> topics) throws InterruptedException, ExecutionException {
        reset(Set.of(), topics);
    }

    /** Removes all topics but those to keep, and every group that read them; then makes others. */
    public void reset(Set<String> kept, List<String> topics) throws InterruptedException, ExecutionException {
        removeGroups();
        admin.deleteTopics(others(kept)).all().get();
        long began = System.nanoTime();
        while (!others(kept).isEmpty()) {
            if (System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new IllegalStateException("topics do not go away: " + others(kept));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        admin.createTopics(topics.stream()
                        .map(topic -> new NewTopic(topic, PARTITIONS, (short) 1))
                        .toList())
                .all()
                .get();
    }

    /** Reads a topic from its beginning to its end, as of now, committed records only. */
    public Delivery read(String topic, int wanted) {
        BitSet seen = new BitSet(wanted);
        int repeated = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
            Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
            long began = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> row : consumer.poll(Duration.ofMillis(100))) {
                    int number = RowNumber.find(row.value());
                    if (number < 0 || number >= wanted) {
                        throw new IllegalStateException("%s has a record that is no row of this run".formatted(topic));
                    }
                    if (seen.get(number)) {
                        repeated++;
                    }
                    seen.set(number);
                }
                if (System.nanoTime() - began > PATIENCE.toNanos()) {
                    throw new IllegalStateException("%s cannot be read to its end".formatted(topic));
                }
            }
        }
        return new Delivery(seen.cardinality(), repeated);
    }

    /** At the beginning of all partitions; reads what is committed. */
    KafkaConsumer<byte[], byte[]> consumer(String topic) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings);
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    /** Static members are members until their session is over, whether or not their JVM has ended. */
    private void removeGroups() throws InterruptedException, ExecutionException {
        List<String> groups = admin.listGroups().all().get().stream()
                .map(GroupListing::groupId)
                .toList();
        var described = admin.describeConsumerGroups(groups).all().get();
        for (ConsumerGroupDescription group : described.values()) {
            if (!group.members().isEmpty()) {
                admin.removeMembersFromConsumerGroup(group.groupId(), new RemoveMembersFromConsumerGroupOptions())
                        .all()
                        .get();
            }
        }
        admin.deleteConsumerGroups(groups).all().get();
    }

    private Set<String> others(Set<String> kept) throws InterruptedException, ExecutionException {
        Set<String> names = new HashSet<>(names());
        names.removeAll(kept);
        return names;
    }

    private Set<String> names() throws InterruptedException, ExecutionException {
        return admin.listTopics().names().get();
    }

    @Override
    public void close() {
        admin.close();
    }
}
