package io.tailrace.router.topology;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.header.CommitTime;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.router.observe.PendingRows;
import io.tailrace.router.observe.PendingRows.Backlog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks what the raw topics hold behind the router's committed offsets: what is before them is delivered, on a lane or parked, and its
 * outcome committed with the offset. Exact while little waits; of a long backlog it reads the beginning, which holds the oldest row, and
 * takes the rest to be mixed like that.
 */
public final class PendingWatch implements AutoCloseable {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private static final Duration POLL = Duration.ofMillis(100);

    /** Of one partition in one look. */
    private static final int MOST_ROWS = 200;

    private static final int FETCH_BYTES = 256 << 10;

    private final Admin admin;
    private final String group;
    private final Set<String> topics;
    private final PendingRows pending;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Lookout lookout;

    /**
     * Starts to look.
     *
     * @param admin the caller's, to be closed after this
     * @param group of the router
     * @param topics raw ones
     */
    public PendingWatch(Admin admin, KafkaConfig kafka, String group, Set<String> topics, PendingRows pending) {
        this(admin, kafka, group, topics, pending, LOOK_EVERY);
    }

    PendingWatch(
            Admin admin, KafkaConfig kafka, String group, Set<String> topics, PendingRows pending, Duration every) {
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_ROWS);
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        this.admin = admin;
        this.group = group;
        this.topics = Set.copyOf(topics);
        this.pending = pending;
        this.consumer = new KafkaConsumer<>(settings);
        this.lookout = new Lookout("raw topics", every, this::look, pending::sawNothing);
    }

    @Override
    public void close() {
        lookout.close();
        consumer.close(Duration.ofSeconds(1));
    }

    private void look() {
        Map<TopicPartition, Long> committed = committed();
        // All of them, all the time: the consumer warns of every answer for one that it has no more.
        if (!consumer.assignment().equals(committed.keySet())) {
            consumer.assign(committed.keySet());
        }
        committed.forEach(consumer::seek);
        consumer.pause(committed.keySet());
        Map<TopicPartition, Long> ends = consumer.endOffsets(committed.keySet());
        Map<String, Backlog> backlogs = new HashMap<>();
        committed.forEach((partition, offset) -> {
            long end = ends.getOrDefault(partition, offset);
            if (offset < end) {
                behind(partition, offset, end).forEach((source, more) -> backlogs.merge(source, more, Backlog::plus));
            }
        });
        pending.saw(backlogs);
    }

    private Map<TopicPartition, Long> committed() {
        Map<TopicPartition, Long> committed = new HashMap<>();
        Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null && topics.contains(partition.topic())) {
                        committed.put(partition, offset.offset());
                    }
                });
        return committed;
    }

    /** What waits in one partition; markers of transactions take offsets and are no rows. */
    private Map<String, Backlog> behind(TopicPartition partition, long from, long end) {
        consumer.resume(List.of(partition));
        Map<String, Backlog> found = new HashMap<>();
        int rows = 0;
        while (rows < MOST_ROWS && consumer.position(partition) < end) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (record.offset() < end) {
                    rows++;
                    count(found, record);
                }
            }
        }
        consumer.pause(List.of(partition));
        long read = consumer.position(partition) - from;
        long left = Math.max(0, end - consumer.position(partition));
        return left == 0 || read == 0 ? found : stretched(found, 1 + (double) left / read);
    }

    private static void count(Map<String, Backlog> found, ConsumerRecord<byte[], byte[]> record) {
        Headers headers = KafkaHeaders.from(record.headers());
        if (headers.kind().filter(Kind.CONTROL::equals).isPresent()) {
            return; // Word of a row, and no row.
        }
        String source = headers.text(HeaderName.CE_SOURCE).orElse("");
        found.merge(source, new Backlog(1, CommitTime.of(headers).orElse(record.timestamp())), Backlog::plus);
    }

    private static Map<String, Backlog> stretched(Map<String, Backlog> found, double factor) {
        Map<String, Backlog> all = new HashMap<>();
        found.forEach((source, part) ->
                all.put(source, new Backlog(Math.round(part.rows() * factor), part.oldestMs())));
        return all;
    }
}
