package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.RowNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** When each row was seen for the first time, in microseconds since the epoch. */
final class Arrivals {

    private final AtomicLongArray micros;
    private final AtomicInteger seen = new AtomicInteger();

    Arrivals(int mostRows) {
        this.micros = new AtomicLongArray(mostRows);
    }

    /** How many rows were seen. */
    int seen() {
        return seen.get();
    }

    long micros(int row) {
        return micros.get(row);
    }

    void note(int row, long at) {
        if (row >= 0 && row < micros.length() && micros.compareAndSet(row, 0, at)) {
            seen.incrementAndGet();
        }
    }

    /** What a contender that only reads wrote down: pairs of row and moment. */
    void load(Path file) throws IOException {
        ByteBuffer pairs = ByteBuffer.wrap(Files.readAllBytes(file));
        while (pairs.remaining() >= 2 * Long.BYTES) {
            int row = (int) pairs.getLong();
            note(row, pairs.getLong());
        }
    }

    /** Reads a topic as any consumer would, on a thread of its own, until it is interrupted. */
    static final class Reader implements AutoCloseable {

        private final Arrivals arrivals;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Clock clock;
        private final Thread thread = new Thread(this::read, "arrivals");
        private volatile boolean stopping;

        Reader(Arrivals arrivals, KafkaConsumer<byte[], byte[]> consumer, Clock clock) {
            this.arrivals = arrivals;
            this.consumer = consumer;
            this.clock = clock;
            thread.start();
        }

        private void read() {
            while (!stopping) {
                var records = consumer.poll(Duration.ofMillis(100));
                long now = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
                for (ConsumerRecord<byte[], byte[]> row : records) {
                    arrivals.note(RowNumber.find(row.value()), now);
                }
            }
            consumer.close();
        }

        @Override
        public void close() {
            stopping = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
