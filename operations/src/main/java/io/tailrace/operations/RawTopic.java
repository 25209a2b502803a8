package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Single records of the raw topic of events, which is read from where each stands. Opens its client when it is needed; used by one thread. */
public final class RawTopic implements AutoCloseable {

    /** The record is there or it is not: a broker that is slower than this is taken for one that is away. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final TailraceConfig config;

    /** What was there when a partition was looked at first. */
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    private @Nullable KafkaConsumer<byte[], byte[]> opened;

    public RawTopic(TailraceConfig config) {
        this.config = config;
    }

    /**
     * The record at an offset.
     *
     * @return empty when the topic does not have it, or not any more
     * @throws KafkaException when Kafka does not answer
     */
    public Optional<ConsumerRecord<byte[], byte[]>> at(int partition, long offset) {
        TopicPartition from = new TopicPartition(config.topicNames().rawEvents(), partition);
        KafkaConsumer<byte[], byte[]> consumer = consumer();
        if (consumer.partitionsFor(from.topic()).stream().noneMatch(info -> info.partition() == partition)) {
            return Optional.empty();
        }
        consumer.assign(List.of(from));
        if (offset >= end(consumer, from)) {
            return Optional.empty(); // It was made anew, and is not as long as it was.
        }
        consumer.seek(from, offset);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (System.nanoTime() - deadline < 0) {
                List<ConsumerRecord<byte[], byte[]>> records =
                        consumer.poll(Duration.ofMillis(200)).records(from);
                if (!records.isEmpty()) {
                    return Optional.of(records.get(0)).filter(record -> record.offset() == offset);
                }
                if (consumer.position(from) > offset) {
                    return Optional.empty(); // The end of a transaction stands there.
                }
            }
        } catch (OffsetOutOfRangeException expired) {
            return Optional.empty();
        }
        throw new TimeoutException("%s at offset %d was not read in time".formatted(from, offset));
    }

    private long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
        return ends.computeIfAbsent(
                partition, each -> consumer.endOffsets(List.of(each)).getOrDefault(each, 0L));
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        KafkaConsumer<byte[], byte[]> consumer = opened;
        if (consumer == null) {
            Map<String, Object> settings = ClientSettings.consumer(config.kafka());
            settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
            settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
            consumer = new KafkaConsumer<>(settings);
            opened = consumer;
        }
        return consumer;
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
    }
}
