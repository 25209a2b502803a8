package io.tailrace.engine.publish;

import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.engine.EngineMetrics;
import io.tailrace.engine.capture.Captured;
import io.tailrace.engine.capture.Captured.Point;
import io.tailrace.engine.capture.Captured.What;
import io.tailrace.engine.capture.ChangeMapper;
import io.tailrace.engine.capture.RawRecord;
import io.tailrace.engine.capture.SizeLimit;
import io.tailrace.engine.publish.BatchWatcher.Step;
import io.tailrace.engine.source.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Debezium calls with each batch: map, skip what Kafka has, write the rest with its position in one transaction, show the
 * position, and only then tell Debezium, which confirms it to the slot.
 *
 * <p>Debezium calls from one thread; {@link #stop} may come from another.
 */
public final class BatchPublisher implements DebeziumEngine.ChangeConsumer<RecordChangeEvent<SourceRecord>> {

    private static final Logger LOG = LoggerFactory.getLogger(BatchPublisher.class);

    private final ChangeMapper mapper;
    private final ResumeCursor cursor;
    private final RawProducer producer;
    private final CommittedOffsets.Desk desk;
    private final EngineMetrics metrics;
    private final BatchWatcher watcher;

    // Held for a batch, so that a stop can wait for its end instead of breaking its transaction.
    private final ReentrantLock batch = new ReentrantLock();
    private volatile boolean stopped;

    /** The publisher of one run. */
    public BatchPublisher(
            ChangeMapper mapper,
            ResumeCursor cursor,
            RawProducer producer,
            CommittedOffsets.Desk desk,
            EngineMetrics metrics,
            BatchWatcher watcher) {
        this.mapper = Objects.requireNonNull(mapper);
        this.cursor = Objects.requireNonNull(cursor);
        this.producer = Objects.requireNonNull(producer);
        this.desk = Objects.requireNonNull(desk);
        this.metrics = Objects.requireNonNull(metrics);
        this.watcher = Objects.requireNonNull(watcher);
    }

    @Override
    public void handleBatch(
            List<RecordChangeEvent<SourceRecord>> changes,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        batch.lockInterruptibly();
        try {
            // Once stopped, nothing more is published by this run: what is left comes again to the next one.
            if (stopped || changes.isEmpty()) {
                return;
            }
            publish(changes);
            // The last one stands for all: the store shows its own position, whatever offset is handed to it.
            committer.markProcessed(changes.get(changes.size() - 1));
            committer.markBatchFinished();
        } catch (InterruptedException e) {
            throw e;
        } catch (RuntimeException e) {
            // Whatever it is, it must not look like one of Connect's retriable exceptions: Debezium answers those by
            // dropping the batch for ever.
            stopped = true;
            throw new BatchFailed(e);
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

    private void publish(List<RecordChangeEvent<SourceRecord>> changes) {
        long began = System.nanoTime();
        Position before = cursor.position();
        boolean searched = cursor.isSearching();
        List<RawRecord> records = new ArrayList<>(changes.size());
        List<Point> commits = new ArrayList<>();
        long heartbeatMicros = 0;
        int skipped = 0;
        for (RecordChangeEvent<SourceRecord> change : changes) {
            Captured captured = mapper.map(change.record());
            Point at = captured.at();
            if (captured.what() == What.COMMIT || at.txId() == Position.NO_TRANSACTION) {
                cursor.takeCommit(at.commitLsn());
            } else if (cursor.takeRow(at.commitLsn(), at.txId(), at.lsn())) {
                captured.record().ifPresent(records::add);
                if (commits.isEmpty() || commits.get(commits.size() - 1).txId() != at.txId()) {
                    commits.add(at);
                }
            } else {
                skipped++;
            }
            if (captured.what() == What.HEARTBEAT) {
                heartbeatMicros = at.commitMicros();
            }
        }
        Position after = cursor.position();
        if (!records.isEmpty() || !after.equals(before)) {
            write(records, after);
        }
        if (searched && !cursor.isSearching()) {
            LOG.info("Resumed: slot={} position={} skipped={}", after.slot(), after.text(), skipped);
        }
        metrics.batch(records.size(), skipped, Duration.ofNanos(System.nanoTime() - began), after.commitLsn());
        tellOfCut(records);
        if (!records.isEmpty()) {
            commits.forEach(at -> metrics.committed(at.commitMicros()));
        }
        if (heartbeatMicros != 0) {
            metrics.heartbeat(heartbeatMicros);
        }
    }

    /** One line for each: every such row is one that somebody will miss. */
    private void tellOfCut(List<RawRecord> records) {
        for (RawRecord record : records) {
            if (SizeLimit.isCut(record)) {
                metrics.payloadOmitted();
                LOG.warn(
                        "Row too large for Kafka, sent without its payload, which only its row has: rowId={} topic={} {};"
                                + " it becomes a dead letter, to be replayed once topics.max-message-bytes is raised",
                        record.headers().text(HeaderName.CE_ID).orElse(""),
                        record.topic(),
                        record.headers().text(HeaderName.ERROR_MESSAGE).orElse(""));
            }
        }
    }

    private void write(List<RawRecord> records, Position after) {
        watcher.reached(Step.BEFORE_SEND, records.size());
        producer.send(records, after);
        watcher.reached(Step.BEFORE_COMMIT, records.size());
        producer.commit();
        watcher.reached(Step.AFTER_COMMIT, records.size());
        // Only now: a position that is shown may be confirmed to the slot at once.
        desk.publish(after);
        watcher.reached(Step.BEFORE_FLUSH, records.size());
    }

    /** A batch could not be published; the run must end and begin anew at the last position in Kafka. */
    public static final class BatchFailed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        BatchFailed(RuntimeException cause) {
            super("a batch was not published: " + cause, cause);
        }
    }
}
