package io.tailrace.operations.upkeep;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tailrace.operations.sweep.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

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

    /** By whose rows they are. Empty as long as nobody has looked. */
    private final Map<String, Looked> looked = new ConcurrentHashMap<>();

    private record Looked(Seen seen, boolean isLag) {}

    /**
     * Registers them.
     *
     * @param everyX whose letters it clears away
     * @param onDuty asked when the meter is read
     */
    UpkeepMetrics(MeterRegistry registry, String source, List<String> everyX, BooleanSupplier onDuty) {
        this.registry = registry;
        this.own = Tags.of("source", source);
        gauge("on.duty", null, () -> onDuty.getAsBoolean() ? 1 : 0);
        gauge("overdue.rows", null, () -> all(Seen::rows));
        gauge("oldest.overdue.age", "seconds", () -> all(Seen::oldestSeconds));
        gauge("lagging", null, this::lagging);
        this.woken = registry.counter(PREFIX + "woken.rows", own);
        this.announced = registry.counter(PREFIX + "announced.rows", own);
        for (Job job : Job.values()) {
            failures(job);
            timer(job);
        }
        everyX.forEach(x -> expired(x, 0));
    }

    private double all(ToDoubleFunction<Seen> what) {
        return looked.values().stream()
                .map(Looked::seen)
                .reduce(Seen::plus)
                .map(what::applyAsDouble)
                .orElse(Double.NaN);
    }

    private double lagging() {
        return looked.isEmpty() ? Double.NaN : looked.values().stream().anyMatch(Looked::isLag) ? 1 : 0;
    }

    /** What a look at the overdue rows of {@code x} saw. */
    void overdue(String x, Seen seen, boolean lag) {
        looked.put(x, new Looked(seen, lag));
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
        looked.clear();
    }

    private Counter failures(Job job) {
        return registry.counter(PREFIX + "failures", own.and("job", job.text()));
    }

    private Timer timer(Job job) {
        return registry.timer(PREFIX + "pass", own.and("job", job.text()));
    }

    private void gauge(String name, @Nullable String unit, DoubleSupplier value) {
        Gauge.builder(PREFIX + name, value::getAsDouble)
                .baseUnit(unit)
                .tags(own)
                .strongReference(true)
                .register(registry);
    }
}
