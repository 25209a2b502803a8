package io.tailrace.operations.upkeep;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.sweep.OverdueRows.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** The meters of the upkeep, each with {@code source}. What an instance that is not on duty cannot know is NaN. Thread-safe. */
public final class UpkeepMetrics {

    /** What every name begins with. */
    public static final String PREFIX = "tailrace.upkeep.";

    /** What is done from time to time. */
    enum Job {
        RECONCILE,
        RETENTION;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final MeterRegistry registry;
    private final Tags own;
    private final Counter woken;
    private final Counter announced;
    private volatile double overdueRows = Double.NaN;
    private volatile double oldestSeconds = Double.NaN;
    private volatile double isLag = Double.NaN;

    /**
     * Registers them.
     *
     * @param onDuty asked when the meter is read
     */
    UpkeepMetrics(MeterRegistry registry, String source, BooleanSupplier onDuty) {
        this.registry = registry;
        this.own = Tags.of("source", source);
        gauge("on.duty", null, () -> onDuty.getAsBoolean() ? 1 : 0);
        gauge("overdue.rows", null, () -> overdueRows);
        gauge("oldest.overdue.age", "seconds", () -> oldestSeconds);
        gauge("lagging", null, () -> isLag);
        this.woken = registry.counter(PREFIX + "woken.rows", own);
        this.announced = registry.counter(PREFIX + "announced.rows", own);
        for (Job job : Job.values()) {
            failures(job);
            timer(job);
        }
        List.of(Topics.EVENTS, Topics.COMMANDS).forEach(x -> expired(x, 0));
    }

    /** What a look at the overdue rows saw. */
    void overdue(Seen seen, boolean lag) {
        overdueRows = seen.rows();
        oldestSeconds = seen.oldestSeconds();
        isLag = lag ? 1 : 0;
    }

    /** Word of these rows was sent. */
    void woken(Seen rows) {
        woken.increment(rows.pending());
        announced.increment(rows.dead());
    }

    void expired(String x, long letters) {
        registry.counter(PREFIX + "expired.letters", own.and("x", x)).increment(letters);
    }

    void purged(String table, long rows) {
        registry.counter(PREFIX + "purged.rows", own.and("table", table)).increment(rows);
    }

    void failed(Job job) {
        failures(job).increment();
    }

    void took(Job job, Duration time) {
        timer(job).record(time);
    }

    /** What another instance sees now. */
    void offDuty() {
        overdueRows = Double.NaN;
        oldestSeconds = Double.NaN;
        isLag = Double.NaN;
    }

    private Counter failures(Job job) {
        return registry.counter(PREFIX + "failures", own.and("job", job.text()));
    }

    private Timer timer(Job job) {
        return registry.timer(PREFIX + "pass", own.and("job", job.text()));
    }

    private void gauge(
            String name, @org.jspecify.annotations.Nullable String unit, java.util.function.DoubleSupplier value) {
        Gauge.builder(PREFIX + name, value::getAsDouble)
                .baseUnit(unit)
                .tags(own)
                .strongReference(true)
                .register(registry);
    }
}
