package io.tailrace.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tailrace.contract.Health;
import io.tailrace.engine.StartSteps.Step;
import io.tailrace.engine.source.SlotFigures;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What the engine counts and times. Every name begins with {@code tailrace.engine.} ({@code tailrace_engine_} in Prometheus) and
 * carries the tag {@code slot}. A gauge whose value nobody knows at the moment is NaN. Thread-safe.
 */
public final class EngineMetrics {

    /** What every name begins with. */
    public static final String PREFIX = "tailrace.engine.";

    private static final long UNKNOWN = -1;

    private final Clock clock;
    private final MeterRegistry registry;
    private final Tags tags;
    private final Counter rows;
    private final Counter batches;
    private final Counter rebuilds;
    private final Counter skipped;
    private final Counter omitted;
    private final DistributionSummary batchSize;
    private final Timer batchDuration;
    private final Timer commitToRaw;
    private final Map<Step, Timer> startSteps = new EnumMap<>(Step.class);

    private volatile long positionLsn = UNKNOWN;
    private volatile Heard heard = Heard.nothing();
    private volatile long progressNanos = System.nanoTime();
    private volatile boolean progressed;
    private volatile boolean leaseHeld;
    private volatile Supplier<Health.State> state = () -> Health.State.NEW;
    private volatile @Nullable SlotFigures figures;

    /**
     * The newest heartbeat that came all the way.
     *
     * @param commitMicros when it was written, by the database's clock; 0 when none has come yet
     * @param sinceNanos when one was first waited for
     * @param waiting whether this engine is the one to hear it
     */
    private record Heard(long commitMicros, long sinceNanos, boolean waiting) {

        static Heard nothing() {
            return new Heard(0, 0, false);
        }
    }

    /** Metrics of the engine of a slot. */
    public EngineMetrics(MeterRegistry registry, String slot, Clock clock) {
        this.clock = Objects.requireNonNull(clock);
        this.registry = registry;
        this.tags = Tags.of("slot", slot);
        rows = counter("rows", "Rows and control messages committed to the raw topics");
        batches = counter("batches", "Kafka transactions, or looks at the log that brought nothing to write");
        rebuilds = counter("rebuilds", "Times everything was closed and begun anew after a failure");
        skipped = counter("skipped.at.start", "Rows of a replay that were in the raw topics already");
        omitted = counter(
                "payloads.omitted",
                "Rows that are too large for Kafka: they went on without their payload, to be dead letters");
        batchSize = DistributionSummary.builder(PREFIX + "batch.size")
                .description("Rows of a Kafka transaction")
                .baseUnit("rows")
                .tags(tags)
                .register(registry);
        batchDuration = Timer.builder(PREFIX + "batch.duration")
                .description("From the first rows of a Kafka transaction to its commit")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
        commitToRaw = Timer.builder(PREFIX + "commit.to.raw")
                .description(
                        "From a transaction's commit to its commit in Kafka, the difference of the two clocks taken out")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
        for (Step step : Step.values()) {
            startSteps.put(
                    step,
                    Timer.builder(PREFIX + "start.step")
                            .description("Each step of a start, from the lease to the first rows or heartbeat")
                            .tags(tags.and("step", step.text()))
                            .register(registry));
        }
        progressGauges();
        slotGauges();
    }

    private void progressGauges() {
        gauge(
                "heartbeat.age",
                "seconds",
                "Since the newest heartbeat that came through the log was written; NaN on a standby",
                metrics -> metrics.heartbeatAge().map(EngineMetrics::seconds).orElse(Double.NaN));
        gauge(
                "progress.age",
                "seconds",
                "Since anything came through the log: readiness follows it",
                metrics -> seconds(metrics.progressAge()));
        gauge(
                "position.lsn",
                null,
                "Last commit that is in Kafka, as a number",
                metrics -> metrics.positionLsn == UNKNOWN ? Double.NaN : metrics.positionLsn);
        gauge("lease.held", null, "1 while this engine is the one that streams", metrics -> metrics.leaseHeld ? 1 : 0);
        for (Health.State one : Health.State.values()) {
            Gauge.builder(PREFIX + "state", this, metrics -> metrics.state.get() == one ? 1 : 0)
                    .description("1 for the state that the engine is in")
                    .tags(tags.and("state", one.name().toLowerCase(Locale.ROOT)))
                    .register(registry);
        }
    }

    private void slotGauges() {
        slotGauge("slot.retained", "bytes", "Log that the server keeps for the slot", SlotFigures::retainedBytes);
        slotGauge("slot.unconfirmed", "bytes", "Log after what the slot has confirmed", SlotFigures::unconfirmedBytes);
        slotGauge(
                "slot.safe.wal",
                "bytes",
                "Log that may still be written before the slot is in danger; NaN when nothing limits it",
                seen -> seen.safeBytes().map(Long::doubleValue).orElse(Double.NaN));
        slotGauge("slot.active", null, "1 while somebody streams from the slot", seen -> seen.active() ? 1 : 0);
        slotGauge("slot.lost", null, "1 when the server has thrown log away unread", seen -> seen.isLost() ? 1 : 0);
        slotGauge(
                "position.lag",
                "bytes",
                "Log between the last commit that is in Kafka and its end; NaN on a standby",
                seen -> positionLsn == UNKNOWN ? Double.NaN : Math.max(0, seen.endLsn() - positionLsn));
        slotGauge(
                "clock.ahead",
                "seconds",
                "How far the database's clock is ahead of ours",
                seen -> seconds(seen.clockAhead()));
    }

    /** A batch is in Kafka. */
    public void batch(int records, int alreadyThere, Duration took, long commitLsn) {
        batches.increment();
        if (records > 0) {
            rows.increment(records);
            batchSize.record(records);
            batchDuration.record(took);
            progressed = true;
        }
        if (alreadyThere > 0) {
            skipped.increment(alreadyThere);
        }
        if (records > 0 || alreadyThere > 0 || commitLsn != positionLsn) {
            progressNanos = System.nanoTime();
        }
        positionLsn = commitLsn;
    }

    /** How long ago a transaction was committed, in microseconds, the difference of the two clocks taken out; never negative. */
    public long ageMicros(long commitMicros) {
        return Math.max(0, databaseNowMicros() - commitMicros);
    }

    /** The rows of transactions that were committed at these moments are in Kafka. */
    public void committed(LongStream commitMicros) {
        long now = databaseNowMicros();
        commitMicros.forEach(at -> commitToRaw.record(Math.max(0, now - at), TimeUnit.MICROSECONDS));
    }

    /** What the database's clock says, as far as it is known how the two differ. */
    private long databaseNowMicros() {
        SlotFigures known = figures;
        Instant now = known == null ? clock.instant() : clock.instant().plus(known.clockAhead());
        return ChronoUnit.MICROS.between(Instant.EPOCH, now);
    }

    /** A row is in Kafka without its payload. */
    public void payloadOmitted() {
        omitted.increment();
    }

    /**
     * A heartbeat message has come all the way.
     *
     * @param commitMicros when it was written, microseconds since the epoch by the database's clock
     */
    public void heartbeat(long commitMicros) {
        heard = new Heard(commitMicros, heard.sinceNanos, true);
        progressNanos = System.nanoTime();
        progressed = true;
    }

    void startStep(Step step, Duration took) {
        Objects.requireNonNull(startSteps.get(step)).record(took);
    }

    void rebuild() {
        rebuilds.increment();
    }

    /** Where the state is to be asked for. */
    void stateOf(Supplier<Health.State> source) {
        state = source;
    }

    void becomes(Health.State next) {
        boolean runs = next != Health.State.STANDBY && next != Health.State.NEW && next != Health.State.STOPPED;
        if (!runs) {
            // What it heard when it held the lease says nothing of now.
            heard = Heard.nothing();
            positionLsn = UNKNOWN;
        } else if (!heard.waiting) {
            heard = new Heard(0, System.nanoTime(), true);
        }
    }

    void lease(boolean held) {
        leaseHeld = held;
    }

    /** What the server says of the slot; nothing when it does not answer, or there is none. */
    void slot(Optional<SlotFigures> seen) {
        figures = seen.orElse(null);
    }

    /** How a run does now. */
    Silence.Run run() {
        return new Silence.Run(
                heartbeatAge().orElse(Duration.ZERO), progressAge(), progressed, Optional.ofNullable(figures));
    }

    /** A run begins: nothing has come through it yet. */
    void runBegins() {
        progressNanos = System.nanoTime();
        progressed = false;
    }

    /** Whether rows or a heartbeat have come through this run. */
    boolean hasProgressed() {
        return progressed;
    }

    /** Since anything came through, or since the run began. */
    Duration progressAge() {
        return Duration.ofNanos(System.nanoTime() - progressNanos);
    }

    /** Since the newest heartbeat that came through was written; empty for an engine that does not wait for one. */
    Optional<Duration> heartbeatAge() {
        Heard newest = heard;
        if (!newest.waiting) {
            return Optional.empty();
        }
        return Optional.of(
                newest.commitMicros == 0
                        ? Duration.ofNanos(System.nanoTime() - newest.sinceNanos)
                        : Duration.of(ageMicros(newest.commitMicros), ChronoUnit.MICROS));
    }

    private Counter counter(String name, String description) {
        return Counter.builder(PREFIX + name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<EngineMetrics> value) {
        Gauge.builder(PREFIX + name, this, value)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private void slotGauge(
            String name, @Nullable String unit, String description, ToDoubleFunction<SlotFigures> value) {
        gauge(name, unit, description, metrics -> {
            SlotFigures seen = metrics.figures;
            return seen == null ? Double.NaN : value.applyAsDouble(seen);
        });
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
