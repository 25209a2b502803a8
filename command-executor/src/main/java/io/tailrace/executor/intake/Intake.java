package io.tailrace.executor.intake;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The member of the consumer group: one thread that reads, queues, commits what has been settled and pauses what is full. A partition
 * that is taken away is forgotten at once: its rows that run now run to their end, and the next owner finds them locked, steps back,
 * and then finds them settled.
 *
 * <p>{@link #close} and {@link #health} are for any thread, all else is the thread's own.
 */
public final class Intake implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

    private static final Duration POLL = Duration.ofMillis(50);

    /** How often settled offsets are committed: what a killed member leaves to be looked at again. */
    private static final Duration COMMIT_EVERY = Duration.ofMillis(200);

    /** For the last commit, and for leaving the group. */
    private static final Duration LEAVE = Duration.ofSeconds(2);

    /** Heartbeats go out every second or two. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final Duration BEFORE_NEXT_CLIENT = Duration.ofSeconds(1);

    /** Unsettled rows of a partition at which it is paused, and at which it goes on; they bound the heap. Several times what one key may queue. */
    private static final int FULL = 1000;

    private static final int ROOM = 500;

    /** A member that died is noticed after this, unless the configuration of Kafka's clients says otherwise. */
    private static final int SESSION_MILLIS = 10_000;

    /** Sources that are told of once. */
    private static final int MOST_FOREIGN = 100;

    private final TailraceConfig config;
    private final KeyQueues queues;
    private final ExecutorMetrics metrics;
    private final Feed feed;
    private final Set<String> foreign = new HashSet<>();
    private final IntakeState state = new IntakeState();
    private final Partitions partitions;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "tailrace-executor-intake");
    private final FirstOffsets firstOffsets = new FirstOffsets();
    private volatile boolean failed;
    private long nextCommit = System.nanoTime();
    private long lastSign = System.nanoTime();

    /** Of commands; does nothing until {@link #start}. */
    public Intake(TailraceConfig config, KeyQueues queues, ExecutorMetrics metrics) {
        this(config, Feed.ofCommands(config), queues, metrics);
    }

    /** Does nothing until {@link #start}. */
    public Intake(TailraceConfig config, Feed feed, KeyQueues queues, ExecutorMetrics metrics) {
        this.config = config;
        this.feed = feed;
        this.queues = queues;
        this.metrics = metrics;
        this.partitions = new Partitions(queues, metrics, LEAVE);
        this.thread.setDaemon(true);
    }

    /** What is read of commands; every partition must have an offset before {@link #start}. */
    public static List<String> topics(TailraceConfig config) {
        Topics topics = config.topicNames();
        return List.of(topics.commands(), topics.redelivery(Topics.COMMANDS));
    }

    /** The group of those who run commands. */
    public static String group(TailraceConfig config) {
        return config.namespace().executorGroup(Topics.COMMANDS, config.source().name());
    }

    /** After this long without a word of a member the broker gives its partitions to another. */
    public static Duration session(TailraceConfig config) {
        String stated = config.kafka().properties().get(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG);
        return Duration.ofMillis(stated == null ? SESSION_MILLIS : Long.parseLong(stated));
    }

    /**
     * Commits offsets of partitions that nobody of the group reads yet, and returns when it is done. For any other thread.
     *
     * @throws KafkaException if it was not done, or nobody knows; trying again later may help
     */
    public void commitFirst(Map<TopicPartition, OffsetAndMetadata> offsets) {
        firstOffsets.commit(offsets);
    }

    /** Joins the group. */
    public void start() {
        thread.start();
    }

    /** What it is doing. */
    public Health health() {
        return state.health();
    }

    /** Commits what has been settled and leaves the group. Stop the work first: what settles later does not pass. */
    @Override
    public void close() {
        stopping.countDown();
        boolean interrupted = false;
        try {
            thread.join(LEAVE.multipliedBy(3).toMillis());
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (thread.isAlive()) {
            LOG.warn(
                    "The intake did not leave its group in time; the broker will notice after its session has timed out");
        }
        state.become(State.STOPPED, "");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!isStopping() && !failed) {
            try {
                KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings());
                try {
                    Rebalance rebalance = new Rebalance(consumer);
                    List<String> topics = List.of();
                    while (!isStopping()) {
                        List<String> now = feed.topics();
                        if (!now.equals(topics)) {
                            consumer.subscribe(now, rebalance);
                            topics = now;
                        }
                        once(consumer);
                    }
                } finally {
                    partitions.leave(consumer);
                    // Not try-with-resources: its close would wait half a minute for a broker that is away.
                    consumer.close(CloseOptions.timeout(LEAVE));
                }
            } catch (InvalidOffsetException gone) {
                // It was there when we joined: whoever starts us again is told what is gone and what to do.
                failed = true;
                state.become(State.FAILED, String.valueOf(gone.getMessage()));
            } catch (KafkaException e) {
                // Whatever it was, a new client begins anew from what was committed.
                state.become(State.WAITING, "the Kafka client ended: " + e);
                metrics.intakeRestarted();
                pause(BEFORE_NEXT_CLIENT);
            } catch (RuntimeException bug) {
                LOG.error("Bug in the intake, it begins anew", bug);
                metrics.intakeRestarted();
                pause(BEFORE_NEXT_CLIENT);
            }
        }
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, feed.group());
        settings.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        settings.putIfAbsent(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS);
        settings.putIfAbsent(
                ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                Math.toIntExact(session(config).toMillis() / 5));
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ROOM);
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 100);
        return settings;
    }

    private void once(KafkaConsumer<byte[], byte[]> consumer) {
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = consumer.poll(POLL);
        } catch (WakeupException woken) {
            return;
        }
        firstOffsets.commitWith(consumer, LEAVE);
        partitions.begin(consumer);
        for (TopicPartition partition : records.partitions()) {
            take(partitions.get(partition), records.records(partition));
        }
        for (Assignment assignment : partitions.all()) {
            assignment.watermark().turn().ifPresent(offset -> consumer.seek(assignment.partition(), offset));
        }
        throttle(consumer);
        if (System.nanoTime() - nextCommit >= 0) {
            partitions.commit(consumer);
            report(consumer);
            nextCommit = System.nanoTime() + COMMIT_EVERY.toNanos();
        }
    }

    /** A member without partitions is as ready as one with; one whose heartbeats are not answered reads nothing, and cannot know it otherwise. */
    private void report(KafkaConsumer<byte[], byte[]> consumer) {
        metrics.oldestOpen(partitions.all().stream()
                .map(Assignment::oldestOpen)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .min());
        double silence = consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("last-heartbeat-seconds-ago"))
                .map(metric -> metric.getValue().metricValue())
                .filter(Number.class::isInstance)
                .mapToDouble(value -> ((Number) value).doubleValue())
                .max()
                .orElse(-1);
        // Negative: none was sent yet, as none is when the broker goes right after the join.
        if (silence >= 0 && silence <= SILENCE.toSeconds()) {
            lastSign = System.nanoTime();
        }
        if (System.nanoTime() - lastSign > SILENCE.toNanos()) {
            state.become(State.WAITING, "the group's coordinator does not answer");
        } else if (consumer.groupMetadata().generationId() > 0) {
            state.become(State.READY, "");
        }
    }

    private void take(Assignment assignment, List<ConsumerRecord<byte[], byte[]>> records) {
        List<DueRecord> due = new ArrayList<>(records.size());
        assignment.read(records.get(0).offset());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (!feed.reader().wants(record)) {
                assignment.watermark().passOver(record.offset());
                continue;
            }
            feed.reader()
                    .decode(record)
                    .match(
                            row -> !assignment.watermark().offer(row.offset(), row.queueKey()) || due.add(row),
                            source -> passOver(assignment, record, source),
                            problem -> unreadable(assignment, record, problem));
        }
        queues.submit(assignment, due);
    }

    private boolean unreadable(Assignment assignment, ConsumerRecord<byte[], byte[]> record, String problem) {
        if (assignment.watermark().passOver(record.offset())) {
            LOG.error(
                    "Not a row that is due, passed over: {}@{}: {}", assignment.partition(), record.offset(), problem);
            metrics.unreadable();
        }
        return false;
    }

    /** The executors of each source have a group of their own, so whoever is to run this row reads it too. */
    private boolean passOver(Assignment assignment, ConsumerRecord<byte[], byte[]> record, String source) {
        if (foreign.size() < MOST_FOREIGN && foreign.add(source)) {
            LOG.info(
                    "Commands of another source are passed over, they are for its own executors; said once: source={}",
                    source);
        }
        assignment.watermark().passOver(record.offset());
        return true;
    }

    /** A full partition stands still, and all do while the database is down; the others flow. */
    private void throttle(KafkaConsumer<byte[], byte[]> consumer) {
        boolean held = queues.isHeld();
        Set<TopicPartition> paused = consumer.paused();
        List<TopicPartition> stop = new ArrayList<>();
        List<TopicPartition> go = new ArrayList<>();
        int open = 0;
        for (Assignment assignment : partitions.all()) {
            int rows = assignment.watermark().open();
            open += rows;
            boolean isPaused = paused.contains(assignment.partition());
            if (!isPaused && (held || rows >= FULL)) {
                stop.add(assignment.partition());
            } else if (isPaused && !held && rows <= ROOM) {
                go.add(assignment.partition());
            }
        }
        metrics.queued(open);
        if (!stop.isEmpty()) {
            consumer.pause(stop);
        }
        if (!go.isEmpty()) {
            consumer.resume(go);
        }
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private void pause(Duration wait) {
        try {
            stopping.await(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Rebalance implements ConsumerRebalanceListener {

        private final KafkaConsumer<byte[], byte[]> consumer;

        private Rebalance(KafkaConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
            partitions.await(consumer, assigned);
            lastSign = System.nanoTime();
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            partitions.giveUp(consumer, revoked, true);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> lost) {
            partitions.giveUp(consumer, lost, false);
        }
    }
}
