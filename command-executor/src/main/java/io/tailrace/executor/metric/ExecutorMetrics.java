package io.tailrace.executor.metric;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The executor's meters. {@code name} is the command's name when a handler is registered for it, else {@value #NO_HANDLER}: names come
 * from rows, and rows may not make meters without end. A handler of many events may be registered for a pattern; see {@link Names}. Each
 * carries {@code source} and {@code subscription}: a process may run an executor for several. Thread-safe.
 */
public final class ExecutorMetrics {

    /** What every name begins with. */
    public static final String PREFIX = "tailrace.executor.";

    /** Stands for every name without a handler. */
    public static final String NO_HANDLER = "(no handler)";

    private final MeterRegistry registry;
    private final Tags own;
    private final Names names = new Names();
    private final AtomicInteger queued;
    private final AtomicInteger assigned;
    private final AtomicInteger sourceDown;
    private final Timer dueLag;

    /** By {@link System#nanoTime}; null when all that was read is settled. */
    private volatile @Nullable Long oldestOpen;

    private final Counter missing;
    private final Counter unreadable;
    private final Counter restarts;

    /** The meters of every row, so that they need not be looked for each time. Names are few, see above. */
    private final ConcurrentMap<String, Timer> durations = new ConcurrentHashMap<>();

    private final ConcurrentMap<Processed, Counter> processed = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Gauge> unavailable = new ConcurrentHashMap<>();

    private record Processed(String name, Outcome outcome) {}

    /** Why a worker stepped back from a row. */
    public enum StepBack {
        /** Another worker has the key or the row. */
        BUSY,
        /** The row's transaction is not visible yet. */
        UNSEEN,
        /** The row is due in less than a second. */
        EARLY,
        /** Serialization failure or deadlock. */
        CONFLICT,
        /** The connection was lost. */
        LOST,
        /** An external run has ended whose claim was lost: what it came to is not written. */
        FENCED
    }

    /** What became of a row at a claim. */
    public enum Outcome {
        COMPLETED,
        FAILED,
        DEAD,
        SNOOZED,
        UNAVAILABLE,
        /** Waits for its name. */
        HELD,
        BEHIND,
        EARLY,
        /** Found done or cancelled. */
        SETTLED,
        /** Found at a higher turn: its outcome was repeated. */
        REPEATED,
        ROW_GONE
    }

    /**
     * Registers what does not depend on a row, for commands.
     *
     * @param source a tag that every meter carries
     */
    public ExecutorMetrics(MeterRegistry registry, String source, int workers) {
        this(registry, source, Topics.COMMANDS, workers);
    }

    /**
     * Registers what does not depend on a row.
     *
     * @param source a tag that every meter carries
     * @param subscription another one; {@code commands} is one
     */
    public ExecutorMetrics(MeterRegistry registry, String source, String subscription, int workers) {
        this.registry = registry;
        this.own = Tags.of("source", source, "subscription", subscription);
        this.queued = Objects.requireNonNull(registry.gauge("tailrace.executor.queued", own, new AtomicInteger()));
        this.assigned =
                Objects.requireNonNull(registry.gauge("tailrace.executor.partitions", own, new AtomicInteger()));
        this.sourceDown =
                Objects.requireNonNull(registry.gauge("tailrace.executor.source.down", own, new AtomicInteger()));
        Gauge.builder("tailrace.executor.workers", () -> workers)
                .tags(own)
                .strongReference(true)
                .register(registry);
        Gauge.builder("tailrace.executor.oldest.overdue.age", this::oldestAge)
                .description("since the oldest row was read that is due and not settled; 0 when there is none")
                .baseUnit("seconds")
                .tags(own)
                .strongReference(true)
                .register(registry);
        this.dueLag = Timer.builder("tailrace.executor.due.lag")
                .tags(own)
                .publishPercentileHistogram()
                .register(registry);
        this.missing = registry.counter("tailrace.executor.handler.missing", own);
        this.unreadable = registry.counter("tailrace.executor.unreadable", own);
        this.restarts = registry.counter("tailrace.executor.intake.restarts", own);
    }

    /** How many workers are busy, asked when the meter is read. */
    public void running(IntSupplier busy) {
        Gauge.builder("tailrace.executor.running", busy::getAsInt)
                .tags(own)
                .strongReference(true)
                .register(registry);
    }

    /** How many runs take no notice of their timeout, asked when the meter is read. */
    public void outlasting(IntSupplier runs) {
        Gauge.builder("tailrace.executor.outlasting", runs::getAsInt)
                .description("runs that go on 10 s after their timeout; each has a worker, and only a restart frees it")
                .tags(own)
                .strongReference(true)
                .register(registry);
    }

    /** Names that are held, of a kind; asked when the meter is read. */
    public void held(String kind, IntSupplier names) {
        Gauge.builder("tailrace.executor.held.names", names::getAsInt)
                .tags(own.and("kind", kind))
                .strongReference(true)
                .register(registry);
    }

    /** Since when a row of a name is answered by nothing but that something is unavailable; asked when the meter is read. */
    public void unavailable(String name, DoubleSupplier oldestSeconds) {
        unavailable.computeIfAbsent(
                names.label(name),
                one -> Gauge.builder("tailrace.executor.unavailable.age", oldestSeconds::getAsDouble)
                        .description(
                                "since the row was met first whose handler has said ever since that something is unavailable;"
                                        + " 0 when there is none")
                        .baseUnit("seconds")
                        .tags(own.and("name", one))
                        .strongReference(true)
                        .register(registry));
    }

    /** Takes secrets out of rows of this source; asked when the meter is read. */
    public void scrubs(DoubleSupplier lagSeconds) {
        Gauge.builder("tailrace.executor.scrub.lag", lagSeconds::getAsDouble)
                .description(
                        "since it was said that a row is done of which the secrets still stand in the row; 0 when there is none")
                .baseUnit("seconds")
                .tags(own)
                .strongReference(true)
                .register(registry);
    }

    /** So many rows had their secrets taken out of them. */
    public void scrubbed(int rows) {
        registry.counter("tailrace.executor.scrubbed.rows", own).increment(rows);
    }

    /** A row that is done keeps its secrets: the database refuses to change it. */
    public void scrubRefused() {
        registry.counter("tailrace.executor.scrub.refused.rows", own).increment();
    }

    /** Rows read and not settled. */
    public void queued(int rows) {
        queued.set(rows);
    }

    /** When the oldest row was read that is not settled, by {@link System#nanoTime}; empty when there is none. */
    public void oldestOpen(OptionalLong nanos) {
        oldestOpen = nanos.isPresent() ? nanos.getAsLong() : null;
    }

    private double oldestAge() {
        Long oldest = oldestOpen;
        return oldest == null ? 0 : Math.max(0, System.nanoTime() - oldest) / 1e9;
    }

    /** Partitions of this member. */
    public void assigned(int partitions) {
        assigned.set(partitions);
    }

    /** Whether the database is down. */
    public void sourceDown(boolean down) {
        sourceDown.set(down ? 1 : 0);
    }

    /** A record on one of our topics is not ours. */
    public void unreadable() {
        unreadable.increment();
    }

    /** The Kafka client was replaced. */
    public void intakeRestarted() {
        restarts.increment();
    }

    /** A row begins to run, so long after it was due. */
    public void started(long lagMillis) {
        dueLag.record(lagMillis, TimeUnit.MILLISECONDS);
    }

    /** A handler ran for so long. */
    public void ran(String name, Duration duration) {
        durations
                .computeIfAbsent(
                        names.label(name), one -> registry.timer("tailrace.executor.duration", own.and("name", one)))
                .record(duration);
    }

    /** What became of a row. */
    public void settled(String name, Outcome outcome) {
        processed
                .computeIfAbsent(
                        new Processed(names.label(name), outcome),
                        one -> registry.counter(
                                "tailrace.executor.processed", own.and("name", one.name(), "outcome", word(outcome))))
                .increment();
    }

    /** A run of a row used so many attempts. */
    public void attempted(String name, int used) {
        registry.counter("tailrace.executor.attempts", own.and("name", names.label(name)))
                .increment(used);
    }

    /** A row was claimed and nobody here answers to its name. */
    public void handlerMissing() {
        missing.increment();
    }

    /** Nothing was used, the row comes again. */
    public void steppedBack(StepBack why) {
        registry.counter("tailrace.executor.stepped.back", own.and("why", word(why)))
                .increment();
    }

    /** An answer was acknowledged. */
    public void answered(Kind kind) {
        registry.counter("tailrace.executor.answers", own.and("kind", kind.text()))
                .increment();
    }

    /** An answer did not get through and is made again. */
    public void answerFailed() {
        registry.counter("tailrace.executor.answers.failed", own).increment();
    }

    /** An answer was not sent because it may be true no more; it is made again. */
    public void answerOutdated() {
        registry.counter("tailrace.executor.answers.outdated", own).increment();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
