package io.tailrace.engine.log;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of Debezium on a thread of its own. Single use. It ends by itself on any failure, never to try again: {@link #ended} says
 * why.
 */
public final class LogStream {

    private static final Logger LOG = LoggerFactory.getLogger(LogStream.class);

    private static final Duration STOP_PAUSE = Duration.ofMillis(50);

    private final ChangeSink sink;
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> debezium;
    private final Thread thread;
    private final LogRun run = new LogRun();
    private final CompletableFuture<Optional<Throwable>> ended = new CompletableFuture<>();

    /** A run that has not begun; {@code settings} from {@link DebeziumSettings}. */
    public LogStream(String slot, Properties settings, ChangeSink sink) {
        this.sink = Objects.requireNonNull(sink);
        settings.putAll(run.options());
        this.debezium = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(settings)
                .using(this::completed)
                .notifying(this::take)
                .build();
        this.thread = new Thread(this::run, "tailrace-log-" + slot);
        this.thread.setDaemon(true);
    }

    /** Begins. */
    public void start() {
        thread.start();
    }

    /** Completes when the run is over, with what ended it; empty when it was stopped. */
    public CompletionStage<Optional<Throwable>> ended() {
        return ended;
    }

    /**
     * Stops the run: in order, and if half of the time has passed, by taking its connections away.
     *
     * @return whether it has stopped; if not, threads of it are stuck in something that is none of ours
     */
    public boolean stop(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        // Closing waits for Debezium's threads, for longer than there may be time; so it waits on a thread of its own.
        Thread closer = new Thread(() -> close(deadline), thread.getName() + "-stop");
        closer.setDaemon(true);
        closer.start();
        closer.join(Math.max(1, patience.toMillis() / 2));
        if (closer.isAlive()) {
            LOG.info("Debezium does not stop in order; its connections are closed: thread={}", thread.getName());
            run.cut();
            closer.join(millisUntil(deadline));
        }
        // Also when it has ended by itself: of a run that is over, nothing may connect again.
        run.close();
        if (thread.isAlive()) {
            thread.join(millisUntil(deadline));
        }
        return !thread.isAlive() && !closer.isAlive();
    }

    private void take(
            List<RecordChangeEvent<SourceRecord>> batches,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        for (RecordChangeEvent<SourceRecord> batch : batches) {
            if (isSafe(((LogBatch) batch.record()).changes())) {
                // The store shows its own position, whatever offset is handed to it.
                committer.markProcessed(batch);
                committer.markBatchFinished();
            }
        }
    }

    private boolean isSafe(List<Change> changes) throws InterruptedException {
        try {
            return sink.take(changes);
        } catch (RuntimeException | Error e) {
            // This ends the run, and Debezium then waits for its reader.
            run.endReading();
            throw e;
        }
    }

    private void run() {
        try {
            debezium.run();
        } catch (RuntimeException | Error e) {
            ended.complete(Optional.of(e));
        } finally {
            // For a Debezium that ends without a word.
            ended.complete(Optional.of(new IllegalStateException("Debezium ended without giving a reason")));
        }
    }

    private void completed(boolean success, String message, Throwable error) {
        if (success) {
            ended.complete(Optional.empty());
        } else {
            ended.complete(Optional.of(error == null ? new IllegalStateException(message) : error));
        }
    }

    private void close(long deadline) {
        while (thread.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                run.endReading();
                debezium.close();
                return;
            } catch (IllegalStateException starting) {
                // It refuses to be closed while its tasks start, and once it is closing on its own account.
                LOG.debug("Debezium cannot be closed yet", starting);
                LockSupport.parkNanos(STOP_PAUSE.toNanos());
            } catch (IOException | RuntimeException e) {
                LOG.debug("Debezium did not close in order", e);
                return;
            }
        }
    }

    private static long millisUntil(long deadline) {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }
}
