package io.tailrace.operations;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.operations.Replay.Newer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;

/**
 * Counts the newer rows of a key that were delivered while an event was a dead letter. What the router has passed in the raw topic, behind
 * the row's own place, was delivered, but for what is a dead letter itself and for what waits on the key's lane. So it reads one partition
 * of the raw topic, from the oldest letter to the router's committed offset, and the same partition of the waiting rows' changelog, both
 * within a patience. Reads only; one for each replay, used by one thread.
 */
final class NewerRows {

    private static final Duration POLL = Duration.ofMillis(200);

    /** For all partitions together: beyond that a count is what was seen so far. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Whose order it is. */
    record Key(String source, String key) {}

    private final TailraceConfig config;
    private final String group;
    private final String raw;

    NewerRows(TailraceConfig config) {
        this.config = config;
        this.group = config.namespace().routerApplicationId();
        this.raw = config.topicNames().rawEvents();
    }

    /**
     * By row id; what is not in it has no order to keep.
     *
     * @param letters the ones to look for
     * @param dead row ids of all letters there are, these included
     */
    Map<String, Newer> look(List<DeadLetter> letters, Set<String> dead) {
        List<DeadLetter> keyed = letters.stream()
                .filter(letter -> letter.x().equals(Topics.EVENTS)
                        && letter.orderingKey().isPresent()
                        && letter.place().isPresent())
                .toList();
        if (keyed.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            int partitions = consumer.partitionsFor(raw).size();
            Map<Integer, List<DeadLetter>> byPartition = new TreeMap<>();
            keyed.forEach(letter -> byPartition
                    .computeIfAbsent(partitionOf(letter, partitions), any -> new ArrayList<>())
                    .add(letter));
            Map<TopicPartition, Long> passed = passed();
            Deadline deadline = new Deadline(PATIENCE);
            Map<String, Newer> newer = new HashMap<>();
            byPartition.forEach((partition, here) -> {
                long end = passed.getOrDefault(new TopicPartition(raw, partition), 0L);
                newer.putAll(look(consumer, partition, here, end, dead, deadline));
            });
            return newer;
        }
    }

    private Map<String, Newer> look(
            KafkaConsumer<byte[], byte[]> consumer,
            int partition,
            List<DeadLetter> letters,
            long end,
            Set<String> dead,
            Deadline deadline) {
        WaitingRows waiting = new WaitingRows(Topics.EVENTS);
        boolean isComplete = waiting.read(consumer, waitingRows(partition), deadline);
        Tally tally = new Tally(letters, dead, waiting);
        TopicPartition from = new TopicPartition(raw, partition);
        long begin = consumer.beginningOffsets(List.of(from)).getOrDefault(from, 0L);
        long first =
                letters.stream().mapToLong(letter -> offset(letter) + 1).min().orElse(0);
        // A topic that was made anew begins at the beginning: all in it is newer.
        boolean isMadeAnew = end < first;
        long start = isMadeAnew ? begin : Math.max(begin, first);
        isComplete &= scan(consumer, from, start, end, tally, deadline);
        boolean sawAll = isComplete;
        Map<String, Newer> newer = new HashMap<>();
        for (DeadLetter letter : letters) {
            boolean isTrimmed = !isMadeAnew && offset(letter) + 1 < begin;
            newer.put(letter.rowId(), new Newer(tally.newerThan(letter), sawAll && !isTrimmed));
        }
        return newer;
    }

    private static boolean scan(
            KafkaConsumer<byte[], byte[]> consumer,
            TopicPartition partition,
            long start,
            long end,
            Tally tally,
            Deadline deadline) {
        if (start >= end) {
            return true;
        }
        consumer.assign(List.of(partition));
        consumer.seek(partition, start);
        while (consumer.position(partition) < end) {
            if (deadline.isOver()) {
                return false;
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (record.offset() < end) {
                    tally.add(record);
                }
            }
        }
        return true;
    }

    private Map<TopicPartition, Long> passed() {
        Map<TopicPartition, Long> passed = new HashMap<>();
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
            offsets.forEach((partition, offset) -> {
                if (offset != null) {
                    passed.put(partition, offset.offset());
                }
            });
        }
        return passed;
    }

    private TopicPartition waitingRows(int partition) {
        return new TopicPartition(group + "-parked-changelog", partition);
    }

    /** Where the rows of the key are: the partitioner of all who write such topics. */
    static int partitionOf(DeadLetter letter, int partitions) {
        byte[] key = Bytes.utf8(letter.orderingKey().orElse("")).array();
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** Whose lane the row of a letter is on. */
    static Key keyOf(DeadLetter letter) {
        return new Key(letter.source(), letter.orderingKey().orElse(""));
    }

    private static long offset(DeadLetter letter) {
        return letter.place().map(Place::offset).orElse(0L);
    }

    /** A patience that runs out. */
    static final class Deadline {

        private final long at;

        Deadline(Duration patience) {
            this.at = System.nanoTime() + patience.toNanos();
        }

        boolean isOver() {
            return System.nanoTime() - at > 0;
        }
    }

    /** Counts rows of some keys by the letters that they are newer than. */
    private static final class Tally {

        /** By key and place of a letter: rows that are newer than this letter and not newer than the next. */
        private final Map<Key, NavigableMap<Place, Long>> counts = new HashMap<>();

        private final Set<String> dead;
        private final WaitingRows waiting;

        Tally(List<DeadLetter> letters, Set<String> dead, WaitingRows waiting) {
            this.dead = dead;
            this.waiting = waiting;
            for (DeadLetter letter : letters) {
                letter.place()
                        .ifPresent(place -> counts.computeIfAbsent(keyOf(letter), any -> new TreeMap<>())
                                .put(place, 0L));
            }
        }

        void add(ConsumerRecord<byte[], byte[]> record) {
            Headers headers = KafkaHeaders.from(record.headers());
            Optional<String> orderingKey = headers.text(HeaderName.CE_PARTITIONKEY);
            Optional<Place> place = Place.parse(headers.text(HeaderName.SEQ).orElse("") + ":" + record.offset());
            boolean isEvent = headers.kind().filter(Kind.EVENT::equals).isPresent();
            if (!isEvent || orderingKey.isEmpty() || place.isEmpty()) {
                return;
            }
            Key key = new Key(headers.text(HeaderName.CE_SOURCE).orElse(""), orderingKey.get());
            NavigableMap<Place, Long> letters = counts.get(key);
            if (letters == null
                    || dead.contains(headers.text(HeaderName.CE_ID).orElse(""))
                    || waiting.has(key, place.get())) {
                return;
            }
            Place older = letters.lowerKey(place.get());
            if (older != null) {
                letters.merge(older, 1L, Long::sum);
            }
        }

        long newerThan(DeadLetter letter) {
            NavigableMap<Place, Long> letters = counts.get(keyOf(letter));
            Optional<Place> place = letter.place();
            return letters == null || place.isEmpty()
                    ? 0
                    : letters.tailMap(place.get(), true).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
        }
    }
}
