package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.ContenderProcess;
import io.tailrace.benchmarks.contender.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How soon a contender that keeps up brings a row to its readers. Runs while rows are written at a steady rate. */
final class LatencyTrial {

    /** From the first row that came to the first that counts. */
    private static final long SETTLE_SECONDS = 5;

    private static final long PATIENCE_SECONDS = 60;

    private final CapturePlan plan;
    private final Shape shape;
    private final KafkaTopics topics;
    private final Clock clock = Clock.systemUTC();
    private final int mostRows;

    LatencyTrial(CapturePlan plan, Shape shape, KafkaTopics topics) {
        this.plan = plan;
        this.shape = shape;
        this.topics = topics;
        this.mostRows =
                Math.toIntExact((plan.latencySeconds() + SETTLE_SECONDS + 2 * PATIENCE_SECONDS) * plan.rowsPerSecond());
    }

    /**
     * Measures one contender.
     *
     * @param jvm that has just been started without rows
     * @param written where it writes down when rows came, if it is one that only reads
     */
    Latency of(Contender contender, Ground ground, ContenderJvm jvm, Path written)
            throws IOException, InterruptedException, ExecutionException, SQLException {
        jvm.await(ContenderProcess.FOLLOWING);
        PacedWriter writer = new PacedWriter(
                ground.bench().jdbcUrl(),
                RowSql.write(contender.outbox(), "generate_series(?::bigint, ?::bigint) n"),
                shape,
                plan.rowsPerSecond(),
                mostRows,
                clock);
        Optional<String> topic = contender.topic(Site.BENCH);
        Arrivals arrivals = new Arrivals(mostRows);
        writer.start();
        int from;
        int to;
        if (topic.isPresent()) {
            try (Arrivals.Reader reader = new Arrivals.Reader(arrivals, topics.consumer(topic.get()), clock)) {
                awaitSeen(arrivals, 1);
                pause(SETTLE_SECONDS);
                from = writer.next();
                pause(plan.latencySeconds());
                to = writer.next();
                int all = writer.stop();
                awaitSeen(arrivals, all);
                jvm.send(ContenderProcess.STOP + all);
            }
            jvm.awaitEnd();
        } else {
            pause(SETTLE_SECONDS);
            from = writer.next();
            pause(plan.latencySeconds());
            to = writer.next();
            jvm.send(ContenderProcess.STOP + writer.stop());
            jvm.awaitEnd();
            arrivals.load(written);
        }
        return Latency.of(writer, arrivals, from, to);
    }

    private static void awaitSeen(Arrivals arrivals, int rows) {
        long began = System.nanoTime();
        while (arrivals.seen() < rows) {
            if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("%d rows of %d came".formatted(arrivals.seen(), rows));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static void pause(long seconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
