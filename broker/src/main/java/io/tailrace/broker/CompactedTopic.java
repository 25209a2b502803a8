package io.tailrace.broker;

import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * A compacted topic, read to its end: the last committed record of each key, tombstones gone. Stateless, any thread.
 *
 * <p>The end is the high watermark and not the last stable offset. Several producers write such a topic; while one of them has a
 * transaction open, committed records of the others stand behind it, and a read that stopped at the last stable offset would miss
 * them. So the read waits until every transaction that was open when it began has ended. The caller's own earlier transactions must
 * have ended before (after {@code initTransactions()} they have).
 */
public final class CompactedTopic {

    private static final Duration POLL = Duration.ofMillis(200);

    private static final Bytes NONE = Bytes.of(new byte[0]);

    private final KafkaConfig kafka;
    private final String topic;

    /** Names a topic; nothing is opened yet. */
    public CompactedTopic(KafkaConfig kafka, String topic) {
        this.kafka = Objects.requireNonNull(kafka);
        this.topic = Objects.requireNonNull(topic);
    }

    /**
     * The last committed record of a key.
     *
     * @param value empty where only the heads were asked for
     * @param valueBytes its length in the topic
     */
    public record Live(
            Bytes key, Bytes value, int valueBytes, Headers headers, int partition, long offset, long timestampMs) {}

    /**
     * The live set, in the order in which it was last written (within a partition).
     *
     * @param patience how long to wait for the end; longer than the transaction timeout of those who write
     * @throws TimeoutException when the end is not reached in time, naming the partition
     */
    public Map<Bytes, Live> read(Duration patience) {
        return read(patience, true);
    }

    /** As {@link #read(Duration)}, and keeps no values: what it takes in memory does not depend on them. */
    public Map<Bytes, Live> readHeads(Duration patience) {
        return read(patience, false);
    }

    private Map<Bytes, Live> read(Duration patience, boolean values) {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove("group.id");
        // The consumer asks for more while it hands out what it has, and does not close before that is answered.
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 20);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            List<TopicPartition> partitions = partitions(consumer);
            Map<TopicPartition, Long> ends = highWatermarks(partitions);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return readTo(consumer, ends, patience, values);
        }
    }

    /** The last committed record of one key. */
    public Optional<Live> read(Bytes key, Duration patience) {
        return Optional.ofNullable(read(patience).get(key));
    }

    private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        if (found == null || found.isEmpty()) {
            throw new UnknownTopicOrPartitionException("topic " + topic + " is missing");
        }
        return found.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
    }

    private Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        try (Admin admin = Admin.create(ClientSettings.admin(kafka))) {
            ListOffsetsOptions uncommittedToo = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED);
            Ask.await(admin.listOffsets(latest, uncommittedToo).all())
                    .forEach((partition, info) -> ends.put(partition, info.offset()));
        }
        return ends;
    }

    private Map<Bytes, Live> readTo(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Duration patience, boolean values) {
        Map<Bytes, Live> live = new LinkedHashMap<>();
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            // A position also passes records that were aborted and markers, which poll does not return.
            Optional<TopicPartition> behind = ends.entrySet().stream()
                    .filter(end -> consumer.position(end.getKey()) < end.getValue())
                    .map(Map.Entry::getKey)
                    .findAny();
            if (behind.isEmpty()) {
                return live;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException(
                        "%s was not read to its end at offset %d within %d s: a transaction is open there"
                                .formatted(behind.get(), ends.get(behind.get()), patience.toSeconds()));
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                apply(live, record, values);
            }
        }
    }

    private static void apply(Map<Bytes, Live> live, ConsumerRecord<byte[], byte[]> record, boolean values) {
        if (record.key() == null) {
            return; // A compacted topic takes none; what is written by hand elsewhere is nobody's.
        }
        Bytes key = Bytes.of(record.key());
        live.remove(key); // so that the order is that of the last write
        if (record.value() != null) {
            live.put(
                    key,
                    new Live(
                            key,
                            values ? Bytes.of(record.value()) : NONE,
                            record.value().length,
                            KafkaHeaders.from(record.headers()),
                            record.partition(),
                            record.offset(),
                            record.timestamp()));
        }
    }
}
