package io.tailrace.broker;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a group begins to read. No offset is ever made up: the first ones are committed here, before a member joins, at the earliest
 * record; later ones must be there and must still point at something.
 *
 * <p>The operations topic remembers of each topic how far its beginning got. What a crash between two lines leaves behind:
 *
 * <table>
 *   <caption>crash points</caption>
 *   <tr><th>remembered</th><th>offsets</th><th>the next start</th></tr>
 *   <tr><td>nothing</td><td>none</td><td>begins</td></tr>
 *   <tr><td>beginning</td><td>none, some or all</td><td>begins again: what has no offset was not read yet</td></tr>
 *   <tr><td>begun</td><td>all, in range</td><td>goes on</td></tr>
 *   <tr><td>begun</td><td>some missing or out of range</td><td>refuses: rows were passed over</td></tr>
 *   <tr><td>nothing</td><td>some or all</td><td>goes on as if begun: the memory was lost, not the offsets</td></tr>
 * </table>
 *
 * <p>Several members may start for the first time at once. One that comes late may write {@code beginning} over the {@code begun} of
 * one that already reads: so an offset that is there and in range is never replaced, and the broker lets nobody alter the offsets of a
 * group that has members; the late one finds nothing to alter when it tries again.
 */
public final class GroupBeginning {

    private static final Logger LOG = LoggerFactory.getLogger(GroupBeginning.class);

    /** For open transactions on the operations topic to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String BEGINNING = "beginning";
    private static final String BEGUN = "begun";

    private final Admin admin;
    private final KafkaConfig kafka;
    private final String operationsTopic;
    private final String group;
    private final Consumer<Map<TopicPartition, OffsetAndMetadata>> committing;

    /**
     * For one group.
     *
     * @param admin the caller's
     * @param operationsTopic which remembers
     */
    public GroupBeginning(Admin admin, KafkaConfig kafka, String operationsTopic, String group) {
        this(
                admin,
                kafka,
                operationsTopic,
                group,
                offsets -> Ask.await(
                        admin.alterConsumerGroupOffsets(group, offsets).all()));
    }

    /**
     * For a group that has members while it begins with a topic: only they may commit for it.
     *
     * @param committing by which one of them does, and returns when it is done
     */
    public GroupBeginning(
            Admin admin,
            KafkaConfig kafka,
            String operationsTopic,
            String group,
            Consumer<Map<TopicPartition, OffsetAndMetadata>> committing) {
        this.admin = admin;
        this.kafka = kafka;
        this.operationsTopic = operationsTopic;
        this.group = group;
        this.committing = committing;
    }

    /** Whether the group has begun with a topic, or is about to. */
    public boolean hasBegun(String topic) {
        return remembered(List.of(topic)).containsKey(topic)
                || committed().keySet().stream().anyMatch(each -> each.topic().equals(topic));
    }

    /** The offset that a partition has, and what it holds. */
    private record Standing(TopicPartition partition, Optional<Long> offset, long earliest, long latest) {

        boolean isInRange() {
            return offset.filter(at -> at >= earliest && at <= latest).isPresent();
        }
    }

    /**
     * Makes sure that every partition of the topics has an offset to go on from.
     *
     * @return those at whose first records the group begins, although they are not the first that were ever there
     * @throws StartRefused naming each offset that is missing or out of range
     * @throws KafkaException when the cluster cannot be asked, or while another member begins; trying again later may help
     */
    public List<TopicPartition> ensure(List<String> topics) {
        return ensure(topics, false);
    }

    /**
     * The same, where a topic that the group has not begun with may be begun behind the records that it holds.
     *
     * @param atTheEnd whether those are passed over, rather than read first
     */
    public List<TopicPartition> ensure(List<String> topics, boolean atTheEnd) {
        // In this order: whoever has begun since the first look has committed what the second one finds.
        Map<String, String> memory = remembered(topics);
        Map<TopicPartition, OffsetAndMetadata> committed = committed();
        List<String> fresh = new ArrayList<>();
        List<String> begun = new ArrayList<>();
        for (String topic : topics) {
            String state = memory.get(topic);
            boolean hasOffsets =
                    committed.keySet().stream().anyMatch(each -> each.topic().equals(topic));
            boolean isFresh = BEGINNING.equals(state) || (state == null && !hasOffsets);
            (isFresh ? fresh : begun).add(topic);
        }
        verify(standing(begun, committed));
        List<TopicPartition> incomplete = begin(fresh, committed, atTheEnd);
        remember(begun.stream().filter(topic -> !memory.containsKey(topic)).toList(), BEGUN);
        return incomplete;
    }

    private List<TopicPartition> begin(
            List<String> topics, Map<TopicPartition, OffsetAndMetadata> committed, boolean atTheEnd) {
        if (topics.isEmpty()) {
            return List.of();
        }
        remember(topics, BEGINNING);
        Map<TopicPartition, OffsetAndMetadata> first = new HashMap<>();
        for (Standing each : standing(topics, committed)) {
            if (!each.isInRange()) {
                first.put(each.partition(), new OffsetAndMetadata(atTheEnd ? each.latest() : each.earliest()));
            }
        }
        if (!first.isEmpty()) {
            committing.accept(first);
        }
        remember(topics, BEGUN);
        LOG.info(
                "Group begins {}: group={} topics={}",
                atTheEnd ? "at the next records" : "at the earliest records",
                group,
                topics);
        return first.entrySet().stream()
                .filter(each -> !atTheEnd && each.getValue().offset() > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    private void verify(List<Standing> standing) {
        List<String> problems = new ArrayList<>();
        for (Standing each : standing) {
            if (!each.isInRange()) {
                problems.add(each.offset().map(at -> gap(each, at)).orElseGet(() -> lost(each)));
            }
        }
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
    }

    private String gap(Standing standing, long at) {
        String held = "group %s stands at %d of %s, which holds %d to %d"
                .formatted(group, at, standing.partition(), standing.earliest(), standing.latest());
        if (at > standing.latest()) {
            return held
                    + ": the topic was made anew, or lost its end. Go on at its first record: "
                    + goOnAt(standing.partition(), standing.earliest());
        }
        return held
                + ": up to %d records, %d to %d, are gone unread. Either insert their rows anew first, from the tables, or give them up;"
                        .formatted(standing.earliest() - at, at, standing.earliest() - 1)
                + " then go on at the first record that is there: "
                + goOnAt(standing.partition(), standing.earliest());
    }

    private String lost(Standing standing) {
        return "group %s has begun but has no offset for %s (it holds %d to %d): its offsets expired or were deleted."
                        .formatted(group, standing.partition(), standing.earliest(), standing.latest())
                + " Where it stood nobody knows. Either read all that is there, and what was read before comes again: %s"
                        .formatted(goOnAt(standing.partition(), standing.earliest()))
                + "; or pass over all of it, and what was not read is lost: %s"
                        .formatted(goOnAt(standing.partition(), standing.latest()));
    }

    private String goOnAt(TopicPartition partition, long from) {
        return ("kafka-consumer-groups.sh --bootstrap-server %s --group %s --topic %s:%d --reset-offsets --to-offset %d"
                        + " --execute")
                .formatted(kafka.bootstrapServers(), group, partition.topic(), partition.partition(), from);
    }

    private List<Standing> standing(List<String> topics, Map<TopicPartition, OffsetAndMetadata> committed) {
        if (topics.isEmpty()) {
            return List.of();
        }
        List<TopicPartition> partitions = partitions(topics);
        Map<TopicPartition, Long> earliest = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> latest = offsets(partitions, OffsetSpec.latest());
        return partitions.stream()
                .map(partition -> new Standing(
                        partition,
                        Optional.ofNullable(committed.get(partition)).map(OffsetAndMetadata::offset),
                        earliest.getOrDefault(partition, 0L),
                        latest.getOrDefault(partition, 0L)))
                .toList();
    }

    private List<TopicPartition> partitions(List<String> topics) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (TopicDescription topic :
                Ask.await(admin.describeTopics(topics).allTopicNames()).values()) {
            topic.partitions().forEach(each -> partitions.add(new TopicPartition(topic.name(), each.partition())));
        }
        return partitions;
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which) {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, which));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> found :
                Ask.await(admin.listOffsets(wanted).all()).entrySet()) {
            offsets.put(found.getKey(), found.getValue().offset());
        }
        return offsets;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    // The broker names a partition without an offset by a null.
                    if (offset != null) {
                        committed.put(partition, offset);
                    }
                });
        return committed;
    }

    private Map<String, String> remembered(List<String> topics) {
        Map<Bytes, CompactedTopic.Live> live = new CompactedTopic(kafka, operationsTopic).read(PATIENCE);
        Map<String, String> states = new HashMap<>();
        for (String topic : topics) {
            CompactedTopic.Live state = live.get(key(topic));
            if (state != null) {
                states.put(topic, state.value().utf8());
            }
        }
        return states;
    }

    /** Returns when the memory is acknowledged: what follows may rely on it. */
    private void remember(List<String> topics, String state) {
        if (topics.isEmpty()) {
            return;
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(ClientSettings.producer(kafka))) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (String topic : topics) {
                byte[] value = Bytes.utf8(state).array();
                sent.add(producer.send(
                        new ProducerRecord<>(operationsTopic, key(topic).array(), value)));
            }
            sent.forEach(Ask::await);
        }
    }

    private Bytes key(String topic) {
        return Bytes.utf8("begun/" + group + "/" + topic);
    }
}
