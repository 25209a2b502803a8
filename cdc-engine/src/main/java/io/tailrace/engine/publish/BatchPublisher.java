package io.tailrace.engine.publish;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.engine.EngineMetrics;
import io.tailrace.engine.capture.Captured;
import io.tailrace.engine.capture.Captured.What;
import io.tailrace.engine.capture.ChangeMapper;
import io.tailrace.engine.capture.RawRecord;
import io.tailrace.engine.capture.SizeLimit;
import io.tailrace.engine.log.Change;
import io.tailrace.engine.log.ChangeSink;
import io.tailrace.engine.log.LogPoint;
import io.tailrace.engine.publish.BatchWatcher.Step;
import io.tailrace.engine.source.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is called with each batch of the log: map, skip what Kafka has, write the rest with its position in one transaction, show the
 * position, and only then let it be confirmed to the slot.
 *
 * <p>A transaction takes one batch, or as many as come while a backlog is worked off: each costs the broker as much as a thousand rows, for it
 * touches every partition. Nothing is confirmed before the commit, so a crash in between loses no more than the work.
 *
 * <p>The log is read by one thread; {@link #stop} may come from another.
 */
public final class BatchPublisher implements ChangeSink {

    private static final Logger LOG = LoggerFactory.getLogger(BatchPublisher.class);

    /** Fewer in one poll interval are no flood, and go at once. */
    private static final int FLOWING = 64;

    /**
     * Rows so old are a backlog. By two clocks, whose difference is known and taken out, but for the first moments of a start.
     */
    private static final long BACKLOG_MICROS = 1_000_000;

    /** A reader of committed rows waits no longer for the first of a transaction, while there is a backlog anyway. */
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ChangeMapper mapper;
    private final ResumeCursor cursor;
    private final RawProducer producer;
    private final CommittedOffsets.Desk desk;
    private final EngineMetrics metrics;
    private final BatchWatcher watcher;
    private final LongSupplier nanoTime;

    // Held for a batch, so that a stop can wait for its end instead of breaking its transaction.
    private final ReentrantLock batch = new ReentrantLock();
    private Open open;
    private volatile boolean stopped;

    /** The publisher of one run. */
    public BatchPublisher(
            ChangeMapper mapper,
            ResumeCursor cursor,
            RawProducer producer,
            CommittedOffsets.Desk desk,
            EngineMetrics metrics,
            BatchWatcher watcher) {
        this(mapper, cursor, producer, desk, metrics, watcher, System::nanoTime);
    }

    BatchPublisher(
            ChangeMapper mapper,
            ResumeCursor cursor,
            RawProducer producer,
            CommittedOffsets.Desk desk,
            EngineMetrics metrics,
            BatchWatcher watcher,
            LongSupplier nanoTime) {
        this.mapper = Objects.requireNonNull(mapper);
        this.cursor = Objects.requireNonNull(cursor);
        this.producer = Objects.requireNonNull(producer);
        this.desk = Objects.requireNonNull(desk);
        this.metrics = Objects.requireNonNull(metrics);
        this.watcher = Objects.requireNonNull(watcher);
        this.nanoTime = Objects.requireNonNull(nanoTime);
        this.open = new Open(cursor.position(), cursor.isSearching());
    }

    @Override
    public boolean take(List<Change> changes) throws InterruptedException {
        batch.lockInterruptibly();
        try {
            // Once stopped, nothing more is published by this run: what is left comes again to the next one.
            if (stopped) {
                return false;
            }
            if (open.began == 0) {
                open.began = nanoTime.getAsLong();
            }
            add(changes);
            if (changes.size() >= FLOWING && mayGrow()) {
                return false;
            }
            commit();
            return true;
        } catch (RuntimeException e) {
            // Whatever it is, it must not look like one of Connect's retriable exceptions: Debezium answers those by
            // dropping the batch for ever.
            stopped = true;
            throw new BatchFailed(e);
        } catch (Error e) {
            // The cursor may be ahead of what was sent.
            stopped = true;
            throw e;
        } finally {
            batch.unlock();
        }
    }

    /**
     * Lets a batch that is under way end and publishes none after it.
     *
     * @return whether none is under way any more
     */
    public boolean stop(Duration patience) throws InterruptedException {
        stopped = true;
        if (!batch.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        batch.unlock();
        return true;
    }

    /** Whether more rows are at hand, and none in Kafka would be too late for waiting for them. */
    private boolean mayGrow() {
        if (open.commits.isEmpty() || nanoTime.getAsLong() - open.began >= LONGEST_NANOS) {
            return false;
        }
        LogPoint last = open.commits.get(open.commits.size() - 1);
        return metrics.ageMicros(last.commitMicros()) > BACKLOG_MICROS;
    }

    private void add(List<Change> changes) {
        for (Change change : changes) {
            Captured captured = mapper.map(change);
            LogPoint at = captured.at();
            if (captured.what() == What.COMMIT || at.txId() == Position.NO_TRANSACTION) {
                cursor.takeCommit(at.commitLsn());
            } else if (cursor.takeRow(at.commitLsn(), at.txId(), at.lsn())) {
                captured.record().ifPresent(this::send);
                open.take(captured);
            } else {
                open.skipped++;
            }
            if (captured.what() == What.HEARTBEAT) {
                open.heartbeatMicros = at.commitMicros();
            }
        }
    }

    private void send(RawRecord record) {
        if (open.rows == 0) {
            watcher.reached(Step.BEFORE_SEND, 1);
        }
        producer.send(record);
    }

    private void write(int rows, Position after) {
        producer.send(after);
        watcher.reached(Step.BEFORE_COMMIT, rows);
        producer.commit();
        watcher.reached(Step.AFTER_COMMIT, rows);
        // Only now: a position that is shown may be confirmed to the slot at once.
        desk.publish(after);
        watcher.reached(Step.BEFORE_FLUSH, rows);
    }

    private void commit() {
        Open done = open;
        Position after = cursor.position();
        if (done.rows > 0 || !after.equals(done.from)) {
            write(done.rows, after);
        }
        open = new Open(after, cursor.isSearching());
        if (done.searching && !cursor.isSearching()) {
            LOG.info("Resumed: slot={} position={} skipped={}", after.slot(), after.text(), done.skipped);
        }
        metrics.batch(done.rows, done.skipped, Duration.ofNanos(nanoTime.getAsLong() - done.began), after.commitLsn());
        done.cut.forEach(this::tellOfCut);
        if (done.rows > 0) {
            metrics.committed(done.commits.stream().mapToLong(LogPoint::commitMicros));
        }
        if (done.heartbeatMicros != 0) {
            metrics.heartbeat(done.heartbeatMicros);
        }
    }

    /** What was taken since the last commit to Kafka. */
    private static final class Open {

        final Position from;
        final boolean searching;
        final List<LogPoint> commits = new ArrayList<>();
        final List<RawRecord> cut = new ArrayList<>();
        int rows;
        int skipped;
        long heartbeatMicros;
        long began;

        Open(Position from, boolean searching) {
            this.from = from;
            this.searching = searching;
        }

        void take(Captured captured) {
            captured.record().ifPresent(record -> {
                rows++;
                if (SizeLimit.isCut(record)) {
                    cut.add(record);
                }
            });
            LogPoint at = captured.at();
            if (commits.isEmpty() || commits.get(commits.size() - 1).txId() != at.txId()) {
                commits.add(at);
            }
        }
    }

    /** One line for each: every such row is one that somebody will miss. */
    private void tellOfCut(RawRecord record) {
        metrics.payloadOmitted();
        LOG.warn(
                "Row too large for Kafka, sent without its payload, which only its row has: rowId={} topic={} {};"
                        + " it becomes a dead letter, to be replayed once topics.max-message-bytes is raised",
                record.headers().text(HeaderName.CE_ID).orElse(""),
                record.topic(),
                record.headers().text(HeaderName.ERROR_MESSAGE).orElse(""));
    }

    /** A batch could not be published; the run must end and begin anew at the last position in Kafka. */
    public static final class BatchFailed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        BatchFailed(RuntimeException cause) {
            super("a batch was not published: " + cause, cause);
        }
    }
}
