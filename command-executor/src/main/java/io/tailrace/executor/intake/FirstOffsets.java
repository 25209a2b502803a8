package io.tailrace.executor.intake;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a group begins. No reader of Tailrace falls back to an offset that nobody chose: a group that has never been here starts at the
 * earliest record, and that it has begun is written down before; a group that had begun and has no offset any more would read
 * everything again or skip what it has not read, and refuses.
 */
final class FirstOffsets {

    private static final Logger LOG = LoggerFactory.getLogger(FirstOffsets.class);

    /** For the broker to answer, and for open transactions on the operations topic to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConfig kafka;
    private final String operations;
    private final String group;

    FirstOffsets(KafkaConfig kafka, Topics topics, String group) {
        this.kafka = kafka;
        this.operations = topics.operations();
        this.group = group;
    }

    /**
     * Commits the first offset of every partition that has none, before anything is read from it.
     *
     * @throws StartRefused if the group has read such a partition before
     */
    void settle(Consumer<byte[], byte[]> consumer, Collection<TopicPartition> assigned) {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(new HashSet<>(assigned), PATIENCE);
        List<TopicPartition> without = assigned.stream()
                .filter(partition -> committed.get(partition) == null)
                .sorted((a, b) -> a.toString().compareTo(b.toString()))
                .toList();
        if (without.isEmpty()) {
            return;
        }
        Set<Bytes> begun = new CompactedTopic(kafka, operations).read(PATIENCE).keySet();
        List<String> lost = new ArrayList<>();
        for (TopicPartition partition : without) {
            if (begun.contains(key(partition))) {
                lost.add(
                        ("group %s has read %s before and has no offset on it any more. If the group was idle for longer than the broker"
                                        + " keeps offsets, set it where the group stopped; from the beginning nothing is lost, and what is done is"
                                        + " not done again: kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets --to-earliest --execute")
                                .formatted(group, partition, group, partition.topic(), partition.partition()));
            }
        }
        if (!lost.isEmpty()) {
            throw new StartRefused(lost);
        }
        record(without);
        Map<TopicPartition, OffsetAndMetadata> first = new HashMap<>();
        consumer.beginningOffsets(without, PATIENCE).forEach((partition, offset) -> {
            first.put(partition, new OffsetAndMetadata(offset));
            consumer.seek(partition, offset);
        });
        consumer.commitSync(first, PATIENCE);
        LOG.info("Group begins at the earliest record: group={} partitions={}", group, without);
    }

    private void record(List<TopicPartition> partitions) {
        Map<String, Object> settings = ClientSettings.producer(kafka);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            for (TopicPartition partition : partitions) {
                producer.send(new ProducerRecord<>(
                                operations,
                                key(partition).array(),
                                Bytes.utf8("{\"from\":\"earliest\"}").array()))
                        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof KafkaException reason ? reason : new KafkaException(failed.getCause());
        } catch (TimeoutException late) {
            throw new KafkaException("no acknowledgement from " + operations, late);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    private Bytes key(TopicPartition partition) {
        return Bytes.utf8("begun/" + group + "/" + partition);
    }
}
