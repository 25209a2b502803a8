package io.tailrace.router.topology;

import io.tailrace.broker.Ask;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shortens the topics that have no retention: what every reader has passed is deleted once nobody looks at it any more. A record is
 * only deleted behind the committed offset of each group that reads its topic; where one of them has none, nothing is.
 */
public final class Trimmer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Trimmer.class);

    private static final Duration EVERY = Duration.ofMinutes(10);

    /** What was read is kept so long: the retry topic shows what waited, and why. */
    public static final Duration KEPT = Duration.ofDays(1);

    /** No record is that young: what the broker answers. */
    private static final long NONE = -1;

    private final Admin admin;
    private final Map<String, Readers> topics;
    private final Duration kept;
    private final InstantSource clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tailrace-router-trimmer");

    /**
     * Who reads a topic.
     *
     * @param known groups that must have committed
     * @param prefixes of the names of others that may read it: those of sources that another process serves
     */
    public record Readers(Set<String> known, Set<String> prefixes) {
        public Readers {
            known = Set.copyOf(known);
            prefixes = Set.copyOf(prefixes);
        }

        /** These and those. */
        Readers and(Readers others) {
            return new Readers(both(known, others.known), both(prefixes, others.prefixes));
        }

        private static Set<String> both(Set<String> one, Set<String> other) {
            return Stream.concat(one.stream(), other.stream()).collect(Collectors.toSet());
        }

        boolean mayInclude(String group) {
            return known.contains(group) || prefixes.stream().anyMatch(group::startsWith);
        }
    }

    /**
     * Makes one; {@link #start()} begins.
     *
     * @param admin the caller's, to be closed after this
     * @param topics to shorten, and who reads them
     * @param kept age up to which everything stays
     */
    public Trimmer(Admin admin, Map<String, Readers> topics, Duration kept, InstantSource clock) {
        this.admin = admin;
        this.topics = Map.copyOf(topics);
        this.kept = kept;
        this.clock = clock;
        thread.setDaemon(true);
    }

    /** Trims now and then. */
    public Trimmer start() {
        thread.start();
        return this;
    }

    /** Trims once. */
    public void trim() {
        topics.forEach(this::trim);
    }

    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
    }

    private void run() {
        try {
            while (!closing.await(EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    trim();
                } catch (KafkaException later) {
                    LOG.debug("Not trimmed this time", later);
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void trim(String topic, Readers readers) {
        List<Map<TopicPartition, OffsetAndMetadata>> passed = passed(readers);
        List<TopicPartition> partitions = partitions(topic);
        Map<TopicPartition, Long> first = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> young =
                offsets(partitions, OffsetSpec.forTimestamp(clock.millis() - kept.toMillis()));
        Map<TopicPartition, RecordsToDelete> deleted = new HashMap<>();
        for (TopicPartition partition : partitions) {
            List<OptionalLong> committed = passed.stream()
                    .map(group -> group.get(partition))
                    .map(each -> each == null ? OptionalLong.empty() : OptionalLong.of(each.offset()))
                    .toList();
            long end = end(committed, young.getOrDefault(partition, NONE));
            if (end > first.getOrDefault(partition, 0L)) {
                deleted.put(partition, RecordsToDelete.beforeOffset(end));
            }
        }
        if (!deleted.isEmpty()) {
            Ask.await(admin.deleteRecords(deleted).all());
        }
    }

    /**
     * Before which offset records may go; 0 if none may.
     *
     * @param committed of each group that reads the partition
     * @param firstYoung first record that is too young to go, less than 0 if there is none
     */
    static long end(List<OptionalLong> committed, long firstYoung) {
        long passedByAll =
                committed.stream().mapToLong(each -> each.orElse(0)).min().orElse(0);
        return firstYoung < 0 ? passedByAll : Math.min(passedByAll, firstYoung);
    }

    private List<Map<TopicPartition, OffsetAndMetadata>> passed(Readers readers) {
        Set<String> groups = Ask.await(admin.listGroups().all()).stream()
                .map(each -> each.groupId())
                .filter(readers::mayInclude)
                .collect(Collectors.toSet());
        groups.addAll(readers.known());
        List<Map<TopicPartition, OffsetAndMetadata>> all = new ArrayList<>();
        for (String group : groups) {
            all.add(Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()));
        }
        return all;
    }

    private List<TopicPartition> partitions(String topic) {
        return Ask.await(admin.describeTopics(List.of(topic)).allTopicNames()).values().stream()
                .flatMap(description -> description.partitions().stream())
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec spec) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Ask.await(admin.listOffsets(partitions.stream().collect(Collectors.toMap(each -> each, each -> spec)))
                        .all())
                .forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }
}
