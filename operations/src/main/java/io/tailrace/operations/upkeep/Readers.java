package io.tailrace.operations.upkeep;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Whether router and executor have passed what was written for them before an instant. A record never carries a later time than that at
 * which it was written, so what stands in front of the first record of that instant or later is all there was.
 */
final class Readers {

    private static final Duration POLL = Duration.ofMillis(200);

    /** For the end of transactions and their markers. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private record Reader(String name, String group, List<String> topics) {}

    private final TailraceConfig config;
    private final List<Reader> readers;

    private Readers(TailraceConfig config, List<Reader> readers) {
        this.config = config;
        this.readers = readers;
    }

    /** Who hands on commands, or the events of a subscription that have been with an executor once. */
    static Readers of(TailraceConfig config, String x) {
        Topics topics = config.topicNames();
        boolean isCommands = x.equals(Topics.COMMANDS);
        Reader router = new Reader(
                "router",
                config.namespace().routerApplicationId(),
                isCommands ? List.of(topics.rawCommands(), topics.retry(x)) : List.of(topics.retry(x)));
        Reader executor = new Reader(
                "executor",
                config.namespace().executorGroup(x, config.source().name()),
                isCommands ? List.of(topics.commands(), topics.redelivery(x)) : List.of(topics.redelivery(x)));
        return new Readers(config, List.of(router, executor));
    }

    /**
     * Who has not passed it, for people; empty when all have.
     *
     * @param instantMs milliseconds since 1970
     */
    Optional<String> behind(long instantMs) {
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            for (Reader reader : readers) {
                Optional<String> behind = behind(admin, reader, instantMs);
                if (behind.isPresent()) {
                    return behind;
                }
            }
            return Optional.empty();
        } catch (UnknownTopicOrPartitionException missing) {
            return Optional.of("a topic is missing: " + missing.getMessage());
        }
    }

    private Optional<String> behind(Admin admin, Reader reader, long instantMs) {
        Map<TopicPartition, Long> wanted = wanted(admin, reader.topics(), instantMs);
        Map<TopicPartition, OffsetAndMetadata> committed =
                Ask.await(admin.listConsumerGroupOffsets(reader.group()).partitionsToOffsetAndMetadata());
        Map<TopicPartition, Long> gaps = new HashMap<>();
        for (Map.Entry<TopicPartition, Long> each : wanted.entrySet()) {
            OffsetAndMetadata stands = committed.get(each.getKey());
            if (stands == null) {
                return Optional.of("the %s has not begun with %s".formatted(reader.name(), each.getKey()));
            }
            if (stands.offset() < each.getValue()) {
                gaps.put(each.getKey(), stands.offset());
            }
        }
        return gaps.isEmpty()
                ? Optional.empty()
                : firstRecord(gaps, wanted)
                        .map(record -> "the %s has not passed %s at offset %d"
                                .formatted(reader.name(), record, gaps.getOrDefault(record, 0L)));
    }

    /** By partition: the offset that is to be passed. */
    private static Map<TopicPartition, Long> wanted(Admin admin, List<String> topics, long instantMs) {
        Map<TopicPartition, OffsetSpec> then = new TreeMap<>(Readers::compare);
        Ask.await(admin.describeTopics(topics).allTopicNames())
                .values()
                .forEach(topic -> topic.partitions()
                        .forEach(partition -> then.put(
                                new TopicPartition(topic.name(), partition.partition()),
                                OffsetSpec.forTimestamp(instantMs))));
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        Map<TopicPartition, Long> wanted = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> found =
                Ask.await(admin.listOffsets(then).all());
        found.forEach((partition, offset) -> {
            if (offset.offset() < 0) {
                ends.put(partition, OffsetSpec.latest());
            } else {
                wanted.put(partition, offset.offset());
            }
        });
        if (!ends.isEmpty()) {
            Ask.await(admin.listOffsets(ends).all())
                    .forEach((partition, offset) -> wanted.put(partition, offset.offset()));
        }
        return wanted;
    }

    private static int compare(TopicPartition one, TopicPartition other) {
        return one.toString().compareTo(other.toString());
    }

    /** A partition with a record in its gap: markers of transactions have offsets too, and nobody passes those of an idle topic. */
    private Optional<TopicPartition> firstRecord(Map<TopicPartition, Long> gaps, Map<TopicPartition, Long> wanted) {
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(gaps.keySet());
            gaps.forEach(consumer::seek);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            List<TopicPartition> open = new ArrayList<>(gaps.keySet());
            while (!open.isEmpty()) {
                if (System.nanoTime() - deadline > 0) {
                    return Optional.of(open.get(0));
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                    if (record.offset() < wanted.getOrDefault(partition, 0L)) {
                        return Optional.of(partition);
                    }
                }
                open.removeIf(partition -> consumer.position(partition) >= wanted.getOrDefault(partition, 0L));
            }
            return Optional.empty();
        }
    }
}
