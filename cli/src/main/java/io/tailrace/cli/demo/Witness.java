package io.tailrace.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A plain consumer that reads topics from their beginning with {@code read_committed} and writes down what it sees. Topics that come
 * into being later are found. Not thread-safe.
 */
final class Witness implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Predicate<String> topics;
    private final List<Sighting> seen = new ArrayList<>();
    private Set<TopicPartition> assigned = Set.of();

    Witness(String bootstrapServers, Predicate<String> topics) {
        this.topics = topics;
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /**
     * One record.
     *
     * @param id {@code ce_id}, or the key where that is missing
     * @param n the shop's number in the payload; 0 without one
     */
    record Sighting(
            String topic,
            int partition,
            long offset,
            @Nullable String key,
            String id,
            int n,
            boolean tombstone,
            Map<String, String> headers) {

        boolean isLate() {
            return headers.containsKey("tailrace-late");
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /** Reads to the ends that the topics have now; all that was seen from the beginning, in the order of reading. */
    List<Sighting> look() {
        discover();
        Map<TopicPartition, Long> ends = consumer.endOffsets(assigned);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(POLL).forEach(record -> seen.add(sighting(record)));
        }
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        consumer.close();
    }

    private void discover() {
        Set<TopicPartition> found = new HashSet<>();
        for (Map.Entry<String, List<PartitionInfo>> topic :
                consumer.listTopics().entrySet()) {
            if (topics.test(topic.getKey())) {
                topic.getValue().forEach(info -> found.add(new TopicPartition(info.topic(), info.partition())));
            }
        }
        if (!found.equals(assigned)) {
            consumer.assign(found);
            assigned = found;
        }
    }

    private static Sighting sighting(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new java.util.HashMap<>();
        for (Header header : record.headers()) {
            headers.put(header.key(), text(header.value()));
        }
        String key = record.key() == null ? null : text(record.key());
        return new Sighting(
                record.topic(),
                record.partition(),
                record.offset(),
                key,
                headers.getOrDefault("ce_id", String.valueOf(key)),
                number(record.value()),
                record.value() == null,
                headers);
    }

    private static int number(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            return 0;
        }
        try {
            JsonNode payload = JSON.readTree(value);
            return payload.path("n").asInt();
        } catch (IOException notJson) {
            return 0;
        }
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
}
