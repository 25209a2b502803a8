package io.tailrace.operations.upkeep;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CommitNote;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.operations.sweep.InHand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Which rows the {@link CommitNote}s of executors list: they have offsets, and the records there have keys and ids. Immutable. */
final class ListedRows {

    private static final Duration POLL = Duration.ofMillis(200);

    /** They stand far apart, and what comes behind each of them is thrown away. */
    private static final int FETCH_BYTES = 1 << 14;

    private final KafkaConfig kafka;
    private final Duration patience;

    ListedRows(KafkaConfig kafka, Duration patience) {
        this.kafka = kafka;
        this.patience = patience;
    }

    /**
     * Reads the records at these offsets, which ascend in each partition.
     *
     * @return empty when one of them is not there, or not in time: then nobody knows what is not finished
     */
    Optional<InHand> read(Map<TopicPartition, List<Long>> listed) {
        if (listed.isEmpty()) {
            return Optional.of(InHand.NONE);
        }
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        Map<TopicPartition, Deque<Long>> open = new HashMap<>();
        listed.forEach((partition, offsets) -> open.put(partition, new ArrayDeque<>(offsets)));
        Found found = new Found();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(open.keySet());
            open.forEach((partition, offsets) -> consumer.seek(partition, offsets.getFirst()));
            long deadline = System.nanoTime() + patience.toNanos();
            while (!open.isEmpty()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (TopicPartition partition : records.partitions()) {
                    Deque<Long> offsets = open.getOrDefault(partition, new ArrayDeque<>());
                    if (!found.all(records.records(partition), offsets)) {
                        return Optional.empty();
                    }
                    goOn(consumer, partition, offsets, open);
                }
                if (System.nanoTime() - deadline > 0) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(found.inHand());
    }

    private static void goOn(
            KafkaConsumer<byte[], byte[]> consumer,
            TopicPartition partition,
            Deque<Long> offsets,
            Map<TopicPartition, Deque<Long>> open) {
        if (offsets.isEmpty()) {
            open.remove(partition);
            consumer.pause(List.of(partition));
        } else if (consumer.position(partition) != offsets.getFirst()) {
            consumer.seek(partition, offsets.getFirst());
        }
    }

    private static final class Found {

        private final Set<String> keys = new HashSet<>();
        private final Set<UUID> ids = new HashSet<>();

        /** Takes those that are asked for. False when the first one of them is not there any more, or is no row of ours. */
        private boolean all(List<ConsumerRecord<byte[], byte[]>> records, Deque<Long> offsets) {
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (!offsets.isEmpty() && record.offset() >= offsets.getFirst()) {
                    if (record.offset() > offsets.removeFirst() || !take(KafkaHeaders.from(record.headers()))) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean take(Headers headers) {
            Optional<String> key = headers.text(HeaderName.CE_PARTITIONKEY);
            Optional<UUID> id = headers.text(HeaderName.CE_ID).flatMap(ListedRows::uuid);
            key.ifPresent(keys::add);
            id.ifPresent(ids::add);
            return id.isPresent();
        }

        private InHand inHand() {
            return new InHand(keys, ids);
        }
    }

    private static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }
}
