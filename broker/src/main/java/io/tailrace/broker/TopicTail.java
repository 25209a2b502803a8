package io.tailrace.broker;

import io.tailrace.contract.config.KafkaConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The newest committed records of a topic, as a sample: fewer where markers and aborted records stand among them. */
public final class TopicTail {

    private static final Duration POLL = Duration.ofMillis(200);

    private TopicTail() {}

    /**
     * Reads them, partition by partition; nothing when the topic is missing or empty.
     *
     * @param most records, shared out evenly among the partitions
     * @param patience how long to read at most
     */
    public static void read(
            KafkaConfig kafka,
            String topic,
            int most,
            Duration patience,
            Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 20);
        // Offsets that retention passes while this reads are no loss to a sample.
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        List<TopicPartition> partitions = partitions(kafka, topic);
        if (partitions.isEmpty()) {
            return;
        }
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            long share = Math.max(1, most / partitions.size());
            Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
            Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
            consumer.assign(partitions);
            ends.forEach((partition, end) ->
                    consumer.seek(partition, Math.max(begins.getOrDefault(partition, 0L), end - share)));
            long deadline = System.nanoTime() + patience.toNanos();
            while (System.nanoTime() - deadline < 0
                    && ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(taker);
            }
        }
    }

    /** Asked of an admin: a consumer waits a minute for a topic that is missing. */
    private static List<TopicPartition> partitions(KafkaConfig kafka, String topic) {
        try (Admin admin = Admin.create(ClientSettings.admin(kafka))) {
            Map<String, TopicDescription> found =
                    Ask.await(admin.describeTopics(List.of(topic)).allTopicNames());
            return found.values().stream()
                    .flatMap(each -> each.partitions().stream())
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
        } catch (UnknownTopicOrPartitionException missing) {
            return List.of();
        }
    }
}
