package io.tailrace.router.topology;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.observe.LiveLetters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Follows the topics of dead letters and keeps count of those that are alive. A reader of its own: a router does not read what it parks,
 * and operators write there too. Of a letter it remembers the row id, the reason and the time. Every instance of the router counts all.
 */
public final class DeadLetterCensus implements AutoCloseable {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private static final Duration POLL = Duration.ofMillis(100);

    /** Small, so that a topic full of large letters is never in memory. */
    private static final int FETCH_BYTES = 1 << 20;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, LiveLetters> letters;
    private final Lookout lookout;

    /**
     * Starts to follow.
     *
     * @param letters by topic
     */
    public DeadLetterCensus(KafkaConfig kafka, Map<String, LiveLetters> letters) {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        this.consumer = new KafkaConsumer<>(settings);
        this.letters = Map.copyOf(letters);
        this.lookout = new Lookout("dead letters", LOOK_EVERY, this::look, () -> {});
    }

    @Override
    public void close() {
        // Its thread first: a consumer is used by one thread at a time.
        lookout.close();
        consumer.close(Duration.ofSeconds(1));
    }

    private void look() {
        if (consumer.assignment().isEmpty()) {
            List<TopicPartition> partitions = letters.keySet().stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
        }
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            try {
                consumer.poll(POLL).forEach(this::count);
            } catch (OffsetOutOfRangeException cleaned) {
                consumer.seekToBeginning(cleaned.partitions());
            }
        }
        letters.values().forEach(LiveLetters::known);
    }

    private void count(ConsumerRecord<byte[], byte[]> record) {
        LiveLetters of = letters.get(record.topic());
        if (of == null || record.key() == null) {
            return;
        }
        Bytes rowId = Bytes.of(record.key());
        if (record.value() == null) {
            of.released(rowId);
        } else {
            of.parked(rowId, KafkaHeaders.from(record.headers()).reason().orElse(null), record.timestamp());
        }
    }
}
