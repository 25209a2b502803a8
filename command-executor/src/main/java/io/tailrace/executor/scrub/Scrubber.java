package io.tailrace.executor.scrub;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.GroupBeginning;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads which rows of one source are done and takes their secrets out of them. The offset passes a note when its row is scrubbed and
 * committed, or cannot be; a crash in between scrubs it once more, which changes nothing. A database or broker that is down is waited for. A
 * row that somebody else holds, or that is not visible yet, is come back to, and those behind it are scrubbed meanwhile: the offset of
 * its partition stays before it.
 *
 * <p>It has one thread of its own and is in the way of nobody: when it cannot go on, rows are delivered and run as ever, and the lag that
 * it tells grows.
 */
public final class Scrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private static final Duration POLL = Duration.ofMillis(200);

    private static final Duration LEAVE = Duration.ofSeconds(2);

    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(1);

    /** Each of a poll may wait for a lock, and all of them for the patience of the group. */
    private static final int MOST_ROWS = 200;

    /** As many are come back to; then no more are read. */
    private static final int MOST_HELD = 500;

    private static final long NOTHING = 0;

    private final TailraceConfig config;
    private final NotedRows rows;
    private final ExecutorMetrics metrics;
    private final InstantSource clock;
    private final Secrets secrets;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tailrace-executor-scrub");
    private boolean isBegun;
    private boolean told;

    /** Milliseconds since 1970: since when secrets stand in rows that are done; {@link #NOTHING} when they do not. */
    private volatile long behindSince;

    /**
     * Begins nothing yet.
     *
     * @param config with one source
     * @param clock against which the age of notes is told
     */
    public Scrubber(TailraceConfig config, DataSource pool, ExecutorMetrics metrics, InstantSource clock) {
        this.config = config;
        this.rows = new NotedRows(pool, config.source().tables(), metrics);
        this.metrics = metrics;
        this.clock = clock;
        this.secrets = config.redact().secrets();
        this.thread.setDaemon(true);
    }

    /** Begins to listen. */
    public void start() {
        metrics.scrubs(this::lagSeconds);
        thread.start();
    }

    private double lagSeconds() {
        long since = behindSince;
        return since == NOTHING ? 0 : Math.max(0, clock.millis() - since) / 1000.0;
    }

    private void isBehind(long since) {
        if (behindSince == NOTHING || since < behindSince) {
            behindSince = since;
        }
    }

    @Override
    public void close() {
        stopping.countDown();
        try {
            thread.join(LEAVE.multipliedBy(2).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (stopping.getCount() > 0) {
            try {
                begin();
                listen();
            } catch (StartRefused | InvalidOffsetException gone) {
                isBehind(clock.millis());
                LOG.error(
                        "Secrets stay in rows that are done, until an executor is started that can go on: source={} {}",
                        config.source().name(),
                        gone.getMessage());
                return;
            } catch (KafkaException | SQLException outage) {
                tell(outage);
                isBehind(clock.millis());
                pause();
            } catch (RuntimeException bug) {
                isBehind(clock.millis());
                LOG.error(
                        "Bug in the scrub of rows, it begins anew: source={}",
                        config.source().name(),
                        bug);
                pause();
            }
        }
    }

    private String group() {
        return config.namespace().scrubGroup(config.source().name());
    }

    private void begin() {
        if (isBegun) {
            return;
        }
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            List<TopicPartition> incomplete = new GroupBeginning(
                            admin, config.kafka(), config.topicNames().operations(), group())
                    .ensure(config.topicNames().doneNotes());
            if (!incomplete.isEmpty()) {
                LOG.warn(
                        "Rows that were done before the first records that are left keep their secrets, nobody had read that they were done:"
                                + " source={} partitions={}",
                        config.source().name(),
                        incomplete);
            }
        }
        isBegun = true;
    }

    private void listen() throws SQLException {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings());
        try {
            consumer.subscribe(config.topicNames().doneNotes());
            List<Note> held = List.of();
            long triedAt = clock.millis();
            while (stopping.getCount() > 0) {
                consumer.resume(consumer.paused());
                if (held.size() >= MOST_HELD) {
                    consumer.pause(consumer.assignment());
                }
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                Set<TopicPartition> passed = new HashSet<>(records.partitions());
                List<Note> kept = new ArrayList<>(held);
                // What another member of the group has now it reads anew.
                kept.removeIf(note -> !consumer.assignment().contains(note.partition()));
                if (!kept.isEmpty() && clock.millis() - triedAt >= BEFORE_NEXT_TRY.toMillis()) {
                    kept.forEach(note -> passed.add(note.partition()));
                    kept = new ArrayList<>(rows.scrub(kept));
                    triedAt = clock.millis();
                }
                kept.addAll(rows.scrub(notes(records)));
                held = List.copyOf(kept);
                pass(consumer, passed, held);
            }
        } finally {
            consumer.close(CloseOptions.timeout(LEAVE));
        }
    }

    private List<Note> notes(ConsumerRecords<byte[], byte[]> records) {
        List<Note> notes = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Note.of(record, config.ceSource(), secrets).ifPresent(notes::add);
        }
        notes.forEach(note -> isBehind(note.saidAt()));
        return notes;
    }

    /** Up to the first that is held. */
    private void pass(KafkaConsumer<?, ?> consumer, Set<TopicPartition> partitions, List<Note> held) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long first = held.stream()
                    .filter(note -> note.partition().equals(partition))
                    .mapToLong(Note::offset)
                    .min()
                    .orElse(Long.MAX_VALUE);
            offsets.put(partition, new OffsetAndMetadata(Math.min(first, consumer.position(partition))));
        }
        if (!offsets.isEmpty()) {
            consumer.commitSync(offsets);
            told = false;
        }
        if (isCaughtUp(consumer)) {
            behindSince = held.stream().mapToLong(Note::saidAt).min().orElse(NOTHING);
        }
    }

    /** What another member of the group has is that one's to tell. */
    private static boolean isCaughtUp(KafkaConsumer<?, ?> consumer) {
        return !consumer.assignment().isEmpty()
                && consumer.assignment().stream()
                        .allMatch(partition -> consumer.currentLag(partition).orElse(1) == 0);
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group());
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_ROWS);
        return settings;
    }

    private void tell(Exception outage) {
        if (!told) {
            told = true;
            LOG.warn(
                    "Rows that are done are scrubbed later, it is tried until it works: source={} {}",
                    config.source().name(),
                    outage.toString());
        }
    }

    private void pause() {
        try {
            stopping.await(BEFORE_NEXT_TRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
