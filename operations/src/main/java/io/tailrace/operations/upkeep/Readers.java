package io.tailrace.operations.upkeep;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CommitNote;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.sweep.InHand;
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

    /** @param notes whether notes stand beside its offsets, which list what is not finished */
    private record Reader(String name, String group, List<String> topics, boolean notes) {}

    /**
     * How far they are.
     *
     * @param behind who has not passed it, for people; empty when all have
     * @param inHand of what they have passed, what is not finished
     */
    record Passed(Optional<String> behind, InHand inHand) {

        static Passed not(String behind) {
            return new Passed(Optional.of(behind), InHand.NONE);
        }
    }

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
                isCommands ? List.of(topics.rawCommands(), topics.retry(x)) : List.of(topics.retry(x)),
                false);
        Reader executor = new Reader(
                "executor",
                config.namespace().executorGroup(x, config.source().name()),
                isCommands ? List.of(topics.commands(), topics.redelivery(x)) : List.of(topics.redelivery(x)),
                true);
        return new Readers(config, List.of(router, executor));
    }

    /**
     * Whether they have passed it.
     *
     * @param instantMs milliseconds since 1970
     */
    Passed passed(long instantMs) {
        Passed all = new Passed(Optional.empty(), InHand.NONE);
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            for (Reader reader : readers) {
                Passed one = passed(admin, reader, instantMs);
                if (one.behind().isPresent()) {
                    return one;
                }
                // Of the executor, which is the last one: the router finishes what it passes.
                all = one;
            }
            return all;
        } catch (UnknownTopicOrPartitionException missing) {
            return Passed.not("a topic is missing: " + missing.getMessage());
        }
    }

    /** Everything below what a note has read is finished, but for the keys that it lists; what it had no room for it has not read. */
    private Passed passed(Admin admin, Reader reader, long instantMs) {
        Map<TopicPartition, Long> wanted = wanted(admin, reader.topics(), instantMs);
        Map<TopicPartition, OffsetAndMetadata> committed =
                Ask.await(admin.listConsumerGroupOffsets(reader.group()).partitionsToOffsetAndMetadata());
        Map<TopicPartition, Long> gaps = new HashMap<>();
        Map<TopicPartition, List<Long>> listed = new HashMap<>();
        for (Map.Entry<TopicPartition, Long> each : wanted.entrySet()) {
            OffsetAndMetadata stands = committed.get(each.getKey());
            if (stands == null) {
                return Passed.not("the %s has not begun with %s".formatted(reader.name(), each.getKey()));
            }
            CommitNote note = reader.notes()
                    ? CommitNote.parse(stands.offset(), stands.metadata())
                    : CommitNote.none(stands.offset());
            if (note.read() < each.getValue()) {
                gaps.put(each.getKey(), note.read());
            }
            List<Long> open = note.unfinished().stream()
                    .filter(offset -> offset < each.getValue())
                    .toList();
            if (!open.isEmpty()) {
                listed.put(each.getKey(), open);
            }
        }
        Optional<TopicPartition> behind = gaps.isEmpty() ? Optional.empty() : firstRecord(gaps, wanted);
        if (behind.isPresent()) {
            return Passed.not("the %s has not passed %s at offset %d"
                    .formatted(reader.name(), behind.get(), gaps.getOrDefault(behind.get(), 0L)));
        }
        return new ListedRows(config.kafka(), PATIENCE)
                .read(listed)
                .map(inHand -> new Passed(Optional.empty(), inHand))
                .orElseGet(() -> Passed.not("rows that the %s has not finished cannot be read: %s"
                        .formatted(reader.name(), listed.keySet())));
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
