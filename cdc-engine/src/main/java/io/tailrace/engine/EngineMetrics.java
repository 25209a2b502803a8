package io.tailrace.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * What the engine counts and times. Every name begins with {@code tailrace.engine.} ({@code tailrace_engine_} in Prometheus) and
 * carries the tag {@code slot}. Thread-safe.
 */
public final class EngineMetrics {

    /** What every name begins with. */
    public static final String PREFIX = "tailrace.engine.";

    private final Clock clock;
    private final Counter rows;
    private final Counter batches;
    private final Counter rebuilds;
    private final Counter skipped;
    private final DistributionSummary batchSize;
    private final Timer batchDuration;
    private final Timer commitToRaw;

    private volatile long positionLsn;
    private volatile long heartbeatNanos = System.nanoTime();
    private volatile boolean progressed;

    /** Metrics of the engine of a slot. */
    public EngineMetrics(MeterRegistry registry, String slot, Clock clock) {
        this.clock = Objects.requireNonNull(clock);
        Tags tags = Tags.of("slot", slot);
        rows = Counter.builder(PREFIX + "rows")
                .description("Rows and control messages committed to the raw topics")
                .tags(tags)
                .register(registry);
        batches = Counter.builder(PREFIX + "batches")
                .description("Batches that Debezium delivered")
                .tags(tags)
                .register(registry);
        rebuilds = Counter.builder(PREFIX + "rebuilds")
                .description("Times everything was closed and begun anew after a failure")
                .tags(tags)
                .register(registry);
        skipped = Counter.builder(PREFIX + "skipped.at.start")
                .description("Rows of a replay that were in the raw topics already")
                .tags(tags)
                .register(registry);
        batchSize = DistributionSummary.builder(PREFIX + "batch.size")
                .description("Rows of a batch")
                .baseUnit("rows")
                .tags(tags)
                .register(registry);
        batchDuration = Timer.builder(PREFIX + "batch.duration")
                .description("From a batch's delivery to its commit in Kafka")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
        commitToRaw = Timer.builder(PREFIX + "commit.to.raw")
                .description("From a transaction's commit, by the database's clock, to its commit in Kafka, by ours")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
        Gauge.builder(
                        PREFIX + "heartbeat.age",
                        this,
                        metrics -> metrics.heartbeatAge().toMillis() / 1000.0)
                .description("Since a heartbeat message came through the log; grows when nothing does")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        Gauge.builder(PREFIX + "position.lsn", this, metrics -> metrics.positionLsn)
                .description("Last commit that is in Kafka, as a number")
                .tags(tags)
                .register(registry);
    }

    /** A batch is in Kafka. */
    public void batch(int records, int alreadyThere, Duration took, long commitLsn) {
        batches.increment();
        if (records > 0) {
            rows.increment(records);
            batchSize.record(records);
            batchDuration.record(took);
        }
        if (alreadyThere > 0) {
            skipped.increment(alreadyThere);
        }
        positionLsn = commitLsn;
    }

    /** A transaction's rows are in Kafka. */
    public void committed(long commitMicros) {
        Duration age = Duration.between(Instant.EPOCH.plus(commitMicros, ChronoUnit.MICROS), clock.instant());
        // Two machines' clocks: what is negative is their difference, not a latency.
        commitToRaw.record(age.isNegative() ? Duration.ZERO : age);
    }

    /** A heartbeat message has come all the way. */
    public void heartbeat() {
        heartbeatNanos = System.nanoTime();
        progressed = true;
    }

    void rebuild() {
        rebuilds.increment();
    }

    /** A run begins: nothing has come through it yet. */
    void runBegins() {
        heartbeatNanos = System.nanoTime();
        progressed = false;
    }

    /** Whether a heartbeat has come through this run. */
    boolean hasProgressed() {
        return progressed;
    }

    /** Since the last heartbeat, or since the run began. */
    Duration heartbeatAge() {
        return Duration.ofNanos(System.nanoTime() - heartbeatNanos);
    }
}
