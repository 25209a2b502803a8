package io.tailrace.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one kind during a trial: one writes them at a steady rate, one awaits them where they go. Single use, not thread-safe.
 */
final class Track {

    static final long PATIENCE_SECONDS = 60;

    private final PacedWriter writer;
    private final Arrivals arrivals;
    private final IntToLongFunction since;
    private final Optional<String> topic;
    private Arrivals.@Nullable Reader reader;
    private int from;
    private int to;

    private Track(PacedWriter writer, Arrivals arrivals, IntToLongFunction since, Optional<String> topic) {
        this.writer = writer;
        this.arrivals = arrivals;
        this.since = since;
        this.topic = topic;
    }

    /**
     * Rows that count from their commit on.
     *
     * @param topic in which they are awaited; none if the contender itself writes down when they came
     */
    static Track fromCommit(PacedWriter writer, int mostRows, Optional<String> topic) {
        return new Track(writer, new Arrivals(mostRows), writer::commitMicros, topic);
    }

    /** Rows that count from an instant that they name; none may come before it. */
    static Track fromInstant(PacedWriter writer, int mostRows, IntToLongFunction instant, String topic) {
        Arrivals arrivals = new Arrivals(mostRows);
        return new Track(
                writer,
                arrivals,
                row -> {
                    long due = instant.applyAsLong(row);
                    if (writer.commitMicros(row) > due) {
                        throw new IllegalStateException("row %d was committed after its instant".formatted(row));
                    }
                    if (arrivals.micros(row) < due) {
                        throw new IllegalStateException("row %d came before its instant".formatted(row));
                    }
                    return due;
                },
                Optional.of(topic));
    }

    void start(KafkaTopics topics) {
        topic.ifPresent(name -> reader = new Arrivals.Reader(arrivals, topics.consumer(name), Clock.systemUTC()));
        writer.start();
    }

    void awaitFirst() {
        if (topic.isPresent()) {
            awaitSeen(1);
        }
    }

    /** From here on rows are measured. */
    void begin() {
        from = writer.next();
    }

    /** Up to here. */
    void end() {
        to = writer.next();
    }

    /** No more rows; returns how many there are, when all have come. */
    int stop() throws InterruptedException {
        int all = writer.stop();
        if (topic.isPresent()) {
            awaitSeen(all);
        }
        close();
        return all;
    }

    void close() {
        Arrivals.Reader open = reader;
        if (open != null) {
            open.close();
            reader = null;
        }
    }

    /** What came out, once the contender has ended. */
    Latency latency(Path written) throws IOException {
        if (topic.isEmpty()) {
            arrivals.load(written);
        }
        return Latency.of(since, arrivals, from, to);
    }

    private void awaitSeen(int rows) {
        long began = System.nanoTime();
        while (arrivals.seen() < rows) {
            if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("%d rows of %d came".formatted(arrivals.seen(), rows));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }
}
