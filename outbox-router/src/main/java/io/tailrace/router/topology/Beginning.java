package io.tailrace.router.topology;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a group begins to read. No offset is ever made up: the first ones are committed here, before the first start, at the earliest
 * record; later ones must be there and must still point at something.
 *
 * <p>The operations topic remembers of each topic how far its beginning got. What a crash between two lines leaves behind:
 *
 * <table>
 *   <caption>crash points</caption>
 *   <tr><th>remembered</th><th>offsets</th><th>the next start</th></tr>
 *   <tr><td>nothing</td><td>none</td><td>begins</td></tr>
 *   <tr><td>beginning</td><td>none, some or all</td><td>begins again: nothing has been read yet</td></tr>
 *   <tr><td>begun</td><td>all, in range</td><td>goes on</td></tr>
 *   <tr><td>begun</td><td>some missing or out of range</td><td>refuses: rows were passed over</td></tr>
 *   <tr><td>nothing</td><td>some or all</td><td>goes on as if begun: the memory was lost, not the offsets</td></tr>
 * </table>
 */
public final class Beginning {

    private static final Logger LOG = LoggerFactory.getLogger(Beginning.class);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String BEGINNING = "beginning";
    private static final String BEGUN = "begun";

    private final Admin admin;
    private final KafkaConfig kafka;
    private final String operationsTopic;
    private final String group;

    /**
     * For one group.
     *
     * @param admin the caller's
     * @param operationsTopic which remembers
     */
    public Beginning(Admin admin, KafkaConfig kafka, String operationsTopic, String group) {
        this.admin = admin;
        this.kafka = kafka;
        this.operationsTopic = operationsTopic;
        this.group = group;
    }

    /**
     * Makes sure that every partition of the topics has an offset to go on from.
     *
     * @throws StartRefused naming each offset that is missing or out of range
     * @throws KafkaException when the cluster cannot be asked
     */
    public void ensure(List<String> topics) {
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
        verify(partitions(begun), committed);
        begin(fresh);
        remember(begun.stream().filter(topic -> !memory.containsKey(topic)).toList(), BEGUN);
    }

    private void begin(List<String> topics) {
        if (topics.isEmpty()) {
            return;
        }
        remember(topics, BEGINNING);
        Map<TopicPartition, OffsetAndMetadata> first = new HashMap<>();
        offsets(partitions(topics), OffsetSpec.earliest())
                .forEach((partition, offset) -> first.put(partition, new OffsetAndMetadata(offset)));
        Ask.await(admin.alterConsumerGroupOffsets(group, first).all());
        remember(topics, BEGUN);
        LOG.info("Group begins at the earliest records: group={} topics={}", group, topics);
    }

    private void verify(List<TopicPartition> partitions, Map<TopicPartition, OffsetAndMetadata> committed) {
        Map<TopicPartition, Long> earliest = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> latest = offsets(partitions, OffsetSpec.latest());
        List<String> problems = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata offset = committed.get(partition);
            long from = earliest.getOrDefault(partition, 0L);
            long to = latest.getOrDefault(partition, 0L);
            if (offset == null) {
                problems.add("group %s has begun but has no offset for %s (it holds %d to %d); %s"
                        .formatted(group, partition, from, to, fix(partition, from)));
            } else if (offset.offset() < from || offset.offset() > to) {
                problems.add("group %s stands at %d of %s, which holds %d to %d: what lies between is gone; %s"
                        .formatted(group, offset.offset(), partition, from, to, fix(partition, from)));
            }
        }
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
    }

    private String fix(TopicPartition partition, long from) {
        return ("once you know what was lost, set it: kafka-consumer-groups.sh --bootstrap-server %s --group %s"
                        + " --topic %s:%d --reset-offsets --to-offset %d --execute")
                .formatted(kafka.bootstrapServers(), group, partition.topic(), partition.partition(), from);
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
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof KafkaException reason ? reason : new KafkaException(failed.getCause());
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    private Bytes key(String topic) {
        return Bytes.utf8("begun/" + group + "/" + topic);
    }
}
