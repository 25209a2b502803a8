package io.tailrace.engine;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.engine.StartSteps.Step;
import io.tailrace.engine.capture.ChangeMapper;
import io.tailrace.engine.log.DebeziumSettings;
import io.tailrace.engine.log.LogStream;
import io.tailrace.engine.publish.BatchPublisher;
import io.tailrace.engine.publish.BatchWatcher;
import io.tailrace.engine.publish.CommittedOffsets;
import io.tailrace.engine.publish.PositionTopic;
import io.tailrace.engine.publish.RawProducer;
import io.tailrace.engine.publish.RawSettings;
import io.tailrace.engine.publish.ResumeCursor;
import io.tailrace.engine.source.Lease;
import io.tailrace.engine.source.Position;
import io.tailrace.engine.source.Preflight;
import io.tailrace.engine.source.Preflight.Problem;
import io.tailrace.engine.source.Preflight.Start;
import io.tailrace.engine.source.Source;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One life of the engine, from the lease to the first failure. Single use: whatever goes wrong ends it, and the next one begins at
 * the position in Kafka. The order of the steps is what makes that safe:
 *
 * <ol>
 *   <li>the lease is held before anything is touched (the caller's);
 *   <li>the slot is freed of a former holder, the producer fenced: from here on nobody else can confirm or commit;
 *   <li>the position is read, to the end: what a former holder had under way is decided by now;
 *   <li>the pre-flight judges source and position together;
 *   <li>only then does the log flow.
 * </ol>
 */
final class EngineRun {

    private static final Logger LOG = LoggerFactory.getLogger(EngineRun.class);

    /** What a batch gets to end in order before its transaction is broken off. */
    private static final Duration BATCH_PATIENCE = Duration.ofSeconds(2);

    /** A broker that is down is an outage to be shown, not one to be sat out in a call. */
    private static final int ADMIN_REQUEST_MS = 5_000;

    private final TailraceConfig config;
    private final Source source;
    private final Preflight preflight;
    private final EngineMetrics metrics;
    private final StartSteps steps;
    private final BatchWatcher watcher;
    private final CompletableFuture<Optional<Throwable>> ended = new CompletableFuture<>();

    private @Nullable RawProducer producer;
    private CommittedOffsets.@Nullable Desk desk;
    private @Nullable BatchPublisher publisher;
    private volatile @Nullable LogStream stream;

    EngineRun(TailraceConfig config, Source source, Preflight preflight, EngineMetrics metrics, BatchWatcher watcher) {
        this.config = Objects.requireNonNull(config);
        this.source = Objects.requireNonNull(source);
        this.preflight = Objects.requireNonNull(preflight);
        this.metrics = Objects.requireNonNull(metrics);
        this.steps = new StartSteps(metrics);
        this.watcher = Objects.requireNonNull(watcher);
    }

    /** Something it needs is down or not ready; it passes by itself. */
    static final class NotNow extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotNow(String reason) {
            super(reason);
        }
    }

    /**
     * Goes through the steps and returns when the log flows.
     *
     * @throws StartRefused when going on would lose or double rows
     * @throws NotNow when waiting is right
     */
    void start(Lease lease) throws SQLException {
        // First whose tables these are: an engine that is refused must leave no topics behind.
        judge(preflight.problems(source.facts()));
        steps.done(Step.PREFLIGHT);
        Map<String, String> topicIds = ensureTopics(config, config.topics().autoCreate());
        steps.done(Step.TOPICS);
        // A process that stood still until here would end a healthy stream and fence a healthy producer. It could
        // double nothing, but it would disturb.
        lease.confirm();
        if (!source.freeSlot()) {
            throw new NotNow("slot " + config.slot() + " is still in use by a backend that does not end");
        }
        steps.done(Step.SLOT);
        Topics topics = config.topicNames();
        PositionTopic positions = new PositionTopic(config.kafka(), topics.positions(), config.slot());
        int maxMessageBytes = config.topics().maxMessageBytes();
        RawProducer raw = new RawProducer(
                config.kafka(), config.namespace().engineTransactionalId(config.slot()), maxMessageBytes, positions);
        producer = raw;
        raw.begin();
        steps.done(Step.FENCE);
        Optional<Position> last = positions.last();
        steps.done(Step.POSITION);
        // Read again: until the producer was fenced and the slot freed, a former holder could move both.
        Start start = preflight.start(
                source.facts(),
                last,
                topicIds.getOrDefault(topics.rawEvents(), ""),
                topicIds.getOrDefault(topics.rawCommands(), ""));
        Position from = decide(start, raw);
        source.markStarted();
        steps.done(Step.JUDGE);
        stream(raw, from);
        // A log that is idle would leave Debezium searching until the next beat.
        source.heartbeat();
        LOG.info("Streaming: slot={} position={} found={}", config.slot(), from.text(), last.isPresent());
    }

    /** Something has come all the way: the start is over. */
    void arrived() {
        steps.done(Step.STREAM);
        LOG.info("Rows flow: slot={} {}", config.slot(), steps.text());
    }

    /** Completes when the run has ended by itself, with what ended it. */
    CompletionStage<Optional<Throwable>> ended() {
        return ended;
    }

    /**
     * Stops everything that was begun, in the reverse order, whatever state it is in.
     *
     * @return whether the slot has been let go
     */
    boolean stop(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        boolean stopped = true;
        try {
            if (publisher != null && !publisher.stop(shorter(BATCH_PATIENCE, patience.dividedBy(2)))) {
                LOG.info(
                        "A batch is under way and does not end; its transaction is broken off: slot={}", config.slot());
                closeProducer();
            }
            if (stream != null) {
                stopped = stream.stop(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            }
        } finally {
            closeProducer();
            if (desk != null) {
                desk.close();
            }
        }
        return stopped;
    }

    /** Whether Debezium was begun, which holds the slot until it has stopped. */
    boolean mayHoldSlot() {
        return stream != null;
    }

    /** Makes the topics of the engine, or only verifies them; gives the ids of the raw ones by name. */
    static Map<String, String> ensureTopics(TailraceConfig config, boolean make) {
        TopicCatalog catalog = new TopicCatalog(config.topicNames(), config.topics());
        Map<String, Object> settings = ClientSettings.admin(config.kafka());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ADMIN_REQUEST_MS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2 * ADMIN_REQUEST_MS);
        try (Admin admin = Admin.create(settings)) {
            TopicKeeper keeper = new TopicKeeper(admin, config.kafka().bootstrapServers(), make);
            keeper.ensure(catalog.engine());
            return keeper.ids(
                    List.of(catalog.rawEvents().name(), catalog.rawCommands().name()));
        }
    }

    private Position decide(Start start, RawProducer raw) {
        if (start instanceof Start.Resume resume) {
            return resume.from();
        }
        if (start instanceof Start.Seed seed) {
            // Written down before the first row: from now on a missing position is a lost one.
            raw.commit(seed.from());
            return seed.from();
        }
        judge(((Start.Refused) start).problems());
        throw new IllegalStateException("refused without a problem");
    }

    private void stream(RawProducer raw, Position from) {
        CommittedOffsets.Desk laidDown = new CommittedOffsets.Desk(from);
        desk = laidDown;
        BatchPublisher batches = new BatchPublisher(
                new ChangeMapper(RawSettings.of(config, from.epoch())),
                new ResumeCursor(from),
                raw,
                laidDown,
                metrics,
                watcher);
        publisher = batches;
        Properties settings = DebeziumSettings.of(
                config.source(),
                config.engine(),
                config.slot(),
                config.publication(),
                CommittedOffsets.class.getName(),
                source.heartbeatQuery());
        laidDown.options().forEach(settings::setProperty);
        metrics.runBegins();
        LogStream log = new LogStream(config.slot(), settings, batches);
        stream = log;
        var unused = log.ended().thenAccept(ended::complete);
        log.start();
    }

    private static void judge(List<Problem> problems) {
        if (problems.isEmpty()) {
            return;
        }
        List<String> refusals = problems.stream()
                .filter(problem -> !problem.passing())
                .map(Problem::text)
                .toList();
        if (!refusals.isEmpty()) {
            throw new StartRefused(refusals);
        }
        throw new NotNow(problems.stream().map(Problem::text).collect(Collectors.joining("; ")));
    }

    private void closeProducer() {
        if (producer != null) {
            producer.close();
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
