package io.tailrace.benchmarks.contender;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Rows that are only read: counted and, when somebody wants to know, when each of them came. */
final class ReadRows implements Rows {

    private static final int MOST_ARRIVALS = 4_000_000;

    private final Clock clock;
    private final Optional<Path> arrivals;
    private final ByteBuffer noted;
    private volatile long count;

    /** @param arrivals where to write down when each row came, as pairs of row number and microseconds since the epoch */
    ReadRows(Clock clock, Optional<Path> arrivals) {
        this.clock = clock;
        this.arrivals = arrivals;
        this.noted = ByteBuffer.allocate(arrivals.isPresent() ? MOST_ARRIVALS * Long.BYTES : 0);
    }

    // One thread writes, so that reading and writing the count need not be one step.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    @Override
    public void take(ByteBuffer message) {
        if (arrivals.isPresent() && noted.remaining() >= 2 * Long.BYTES) {
            byte[] bytes = new byte[message.remaining()];
            message.duplicate().get(bytes);
            noted.putLong(RowNumber.find(bytes)).putLong(ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant()));
        }
        count++;
    }

    @Override
    public long done() {
        return count;
    }

    @Override
    public void close() {
        arrivals.ifPresent(file -> {
            byte[] bytes = new byte[noted.position()];
            noted.flip().get(bytes);
            try {
                Files.write(file, bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
