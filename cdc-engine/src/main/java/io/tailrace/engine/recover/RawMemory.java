package io.tailrace.engine.recover;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.engine.source.Comparison;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What the raw topics hold of one source, read once to the end that they have when the reading begins. The producer of the engine must
 * have been fenced, so that nothing is added; transactions that are open are waited for. Keeps nothing of a record. Single use.
 */
final class RawMemory {

    private static final Duration POLL = Duration.ofMillis(500);

    /** Longer than the transaction timeout of those who write here. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final int PROGRESS_EVERY = 500_000;

    private final KafkaConfig kafka;
    private final String ceSource;
    private final Topics topics;
    private final Ids ids;
    private final Consumer<String> progress;
    private final Map<TopicPartition, Long> firstTimestamps = new HashMap<>();
    private final Set<TopicPartition> forgetful = new HashSet<>();
    private long events;
    private long commands;
    private int highestEpoch;

    /** Who is told of the records. */
    interface Ids {
        /** One of an outbox row. */
        void event(UUID id) throws SQLException;

        /**
         * One of a command row, or of an act on one.
         *
         * @param notBefore what it says of when the row is due
         * @param row whether it is of the row itself
         */
        void command(UUID id, long notBefore, boolean row) throws SQLException;

        /** Nobody is. */
        Ids NOBODY = new Ids() {
            @Override
            public void event(UUID id) {}

            @Override
            public void command(UUID id, long notBefore, boolean row) {}
        };

        /** A comparison is. */
        static Ids to(Comparison comparison) {
            return new Ids() {
                @Override
                public void event(UUID id) throws SQLException {
                    comparison.sawEvent(id);
                }

                @Override
                public void command(UUID id, long notBefore, boolean row) throws SQLException {
                    comparison.sawCommand(id, notBefore, row);
                }
            };
        }
    }

    RawMemory(TailraceConfig config, Ids ids, Consumer<String> progress) {
        this.kafka = config.kafka();
        this.ceSource = config.ceSource();
        this.topics = config.topicNames();
        this.ids = Objects.requireNonNull(ids);
        this.progress = Objects.requireNonNull(progress);
    }

    /** @throws TimeoutException when a transaction stays open that is not the engine's */
    void read() throws SQLException {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove("group.id");
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings);
                Admin admin = Admin.create(ClientSettings.admin(kafka))) {
            // One that is missing holds nothing.
            Map<String, List<PartitionInfo>> known = consumer.listTopics();
            List<TopicPartition> partitions = Stream.of(topics.rawEvents(), topics.rawCommands())
                    .flatMap(topic -> known.getOrDefault(topic, List.of()).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            Map<TopicPartition, Long> ends = offsets(admin, partitions, OffsetSpec.latest());
            Map<TopicPartition, Long> begins = offsets(admin, partitions, OffsetSpec.earliest());
            begins.entrySet().stream()
                    .filter(begin -> begin.getValue() > 0)
                    .forEach(begin -> forgetful.add(begin.getKey()));
            consumer.assign(partitions);
            begins.forEach(consumer::seek);
            long offsets = ends.entrySet().stream()
                    .mapToLong(end -> end.getValue() - begins.getOrDefault(end.getKey(), 0L))
                    .sum();
            progress.accept("reading the raw topics to their end: %,d offsets".formatted(offsets));
            readTo(consumer, ends, offsets);
        }
    }

    /** Records of outbox rows. */
    long events() {
        return events;
    }

    /** Records of command rows. */
    long commands() {
        return commands;
    }

    /** The highest epoch on a record; 0 when there is none. */
    int highestEpoch() {
        return highestEpoch;
    }

    /**
     * Since when a topic remembers everything: what was written to it before may have been deleted. Empty when it remembers all.
     *
     * @param now for a topic that remembers nothing any more
     */
    Optional<Instant> remembersSince(String topic, Instant now) {
        return forgetful.stream()
                .filter(partition -> partition.topic().equals(topic))
                .map(partition -> firstTimestamps.getOrDefault(partition, now.toEpochMilli()))
                .max(Long::compare)
                .map(Instant::ofEpochMilli);
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, List<TopicPartition> partitions, OffsetSpec which) {
        Map<TopicPartition, OffsetSpec> wanted =
                partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> which));
        // The end is the high watermark, not the last stable offset: see CompactedTopic.
        ListOffsetsOptions uncommittedToo = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Ask.await(admin.listOffsets(wanted, uncommittedToo).all())
                .forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    private void readTo(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, long offsets)
            throws SQLException {
        long lastSeen = System.nanoTime();
        long read = 0;
        long told = 0;
        while (true) {
            // A position also passes records that were aborted and markers, which poll does not return.
            Optional<TopicPartition> behind = ends.entrySet().stream()
                    .filter(end -> consumer.position(end.getKey()) < end.getValue())
                    .map(Map.Entry::getKey)
                    .findAny();
            if (behind.isEmpty()) {
                return;
            }
            var records = consumer.poll(POLL);
            if (!records.isEmpty()) {
                lastSeen = System.nanoTime();
            } else if (System.nanoTime() - lastSeen > PATIENCE.toNanos()) {
                throw new TimeoutException(
                        "%s was not read to its end at offset %d: nothing has come for %d s, a transaction is open there"
                                .formatted(behind.get(), ends.get(behind.get()), PATIENCE.toSeconds()));
            }
            for (ConsumerRecord<byte[], byte[]> record : records) {
                take(record);
            }
            read += records.count();
            if (read - told >= PROGRESS_EVERY) {
                told = read;
                progress.accept("read %,d of %,d".formatted(read, offsets));
            }
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) throws SQLException {
        firstTimestamps.putIfAbsent(new TopicPartition(record.topic(), record.partition()), record.timestamp());
        if (!ceSource.equals(text(record, HeaderName.CE_SOURCE))) {
            return; // Of another database of this namespace.
        }
        String kind = text(record, HeaderName.KIND);
        String id = text(record, HeaderName.CE_ID);
        String epoch = text(record, HeaderName.SEQ);
        if (epoch != null && epoch.length() <= 5 && epoch.chars().allMatch(Character::isDigit) && !epoch.isEmpty()) {
            highestEpoch = Math.max(highestEpoch, Integer.parseInt(epoch));
        }
        if (kind == null || id == null) {
            return;
        }
        try {
            if (kind.equals(Kind.EVENT.text())) {
                ids.event(UUID.fromString(id));
                events++;
            } else if (kind.equals(Kind.COMMAND.text())) {
                ids.command(UUID.fromString(id), notBefore(record), true);
                commands++;
            } else if (kind.equals(Kind.CONTROL.text()) && text(record, HeaderName.SUBSCRIPTION) == null) {
                ids.command(UUID.fromString(id), notBefore(record), false);
            }
        } catch (IllegalArgumentException notOurs) {
            // The engine writes none.
            progress.accept("passed over a record that is none of the engine's: %s-%d@%d"
                    .formatted(record.topic(), record.partition(), record.offset()));
        }
    }

    private static long notBefore(ConsumerRecord<byte[], byte[]> record) {
        String text = text(record, HeaderName.NOT_BEFORE);
        return text == null ? 0 : Long.parseLong(text);
    }

    private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, HeaderName name) {
        Header header = record.headers().lastHeader(name.key());
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
