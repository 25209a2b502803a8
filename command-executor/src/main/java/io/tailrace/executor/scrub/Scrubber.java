package io.tailrace.executor.scrub;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.GroupBeginning;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.executor.claim.ScrubTable;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
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
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads which rows of one source are done and takes their secrets out of them. The offset passes a note when its row is scrubbed and
 * committed; a crash in between scrubs it once more, which changes nothing. A database or broker that is down is waited for.
 *
 * <p>It has one thread of its own and is in the way of nobody: when it cannot go on, rows are delivered and run as ever, and the lag that
 * it tells grows.
 */
public final class Scrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private static final Duration POLL = Duration.ofMillis(200);

    private static final Duration LEAVE = Duration.ofSeconds(2);

    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(1);

    /** A poll is scrubbed in one transaction, and so within the patience of the group. */
    private static final int MOST_ROWS = 200;

    private static final long NOTHING = 0;

    private final TailraceConfig config;
    private final DataSource pool;
    private final ExecutorMetrics metrics;
    private final InstantSource clock;
    private final Secrets secrets;
    private final ScrubTable events;
    private final ScrubTable commands;
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
        this.pool = pool;
        this.metrics = metrics;
        this.clock = clock;
        this.secrets = config.redact().secrets();
        this.events = ScrubTable.ofEvents(config.source().tables());
        this.commands = ScrubTable.ofCommands(config.source().tables());
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

    private List<String> topics() {
        Topics topics = config.topicNames();
        return List.of(topics.retry(Topics.EVENTS), topics.retry(Topics.COMMANDS));
    }

    private String group() {
        return config.namespace().scrubGroup(config.source().name());
    }

    private void begin() {
        if (isBegun) {
            return;
        }
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            new GroupBeginning(admin, config.kafka(), config.topicNames().operations(), group()).ensure(topics());
        }
        isBegun = true;
    }

    private void listen() throws SQLException {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings());
        try {
            consumer.subscribe(topics());
            while (stopping.getCount() > 0) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (!records.isEmpty() && scrub(records)) {
                    consumer.commitSync();
                    told = false;
                }
                if (isCaughtUp(consumer)) {
                    behindSince = NOTHING;
                }
            }
        } finally {
            consumer.close(CloseOptions.timeout(LEAVE));
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

    /** @return whether all of it is done; otherwise a stop came first */
    private boolean scrub(ConsumerRecords<byte[], byte[]> records) throws SQLException {
        List<Headers> notes = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Headers headers = KafkaHeaders.from(record.headers());
            if (isDone(headers)) {
                notes.add(headers);
                isBehind(record.timestamp());
            }
        }
        if (notes.isEmpty()) {
            return true;
        }
        int scrubbed = 0;
        try (Connection connection = pool.getConnection()) {
            for (Headers note : notes) {
                Outcome outcome = scrub(connection, note);
                if (outcome == Outcome.STOPPED) {
                    return false;
                }
                scrubbed += outcome == Outcome.SCRUBBED ? 1 : 0;
            }
            connection.commit();
        }
        metrics.scrubbed(scrubbed);
        return true;
    }

    private enum Outcome {
        SCRUBBED,
        /** There was nothing to take out, or no row any more. */
        NOTHING_TO_DO,
        STOPPED
    }

    private boolean isDone(Headers headers) {
        return headers.kind().filter(Kind.DONE::equals).isPresent()
                && headers.text(HeaderName.CE_SOURCE)
                        .filter(config.ceSource()::equals)
                        .isPresent();
    }

    private Outcome scrub(Connection connection, Headers note) throws SQLException {
        String name = note.text(HeaderName.CE_TYPE).orElse("");
        UUID id = uuid(note.text(HeaderName.CE_ID).orElse(""));
        if (id == null) {
            return Outcome.NOTHING_TO_DO;
        }
        // An answer of an executor names the turn of a command; what speaks of an event has none.
        boolean isCommand = note.number(HeaderName.TURN).isPresent();
        SecretPaths paths = isCommand ? secrets.ofCommand(name) : secrets.ofEvent(name);
        if (paths.isEmpty()) {
            return Outcome.NOTHING_TO_DO;
        }
        ScrubTable table = isCommand ? commands : events;
        OptionalLong xid = note.number(HeaderName.XID);
        while (!table.scrub(connection, id, paths)) {
            if (xid.isEmpty() || !table.isUnseen(connection, id, xid.getAsLong())) {
                return Outcome.NOTHING_TO_DO;
            }
            // Decoded before it is visible: it waits for a standby. What was scrubbed before it stays so.
            connection.commit();
            if (pause()) {
                return Outcome.STOPPED;
            }
        }
        return Outcome.SCRUBBED;
    }

    private static @Nullable UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException notAnId) {
            return null;
        }
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

    /** @return whether a stop came */
    private boolean pause() {
        try {
            return stopping.await(BEFORE_NEXT_TRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
