package io.tailrace.executor.metric;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Locale;

/** What an application does on its fast path to a subscription. Shares the durations of handlers with an executor of the same process. */
public final class FastPathMetrics {

    private final MeterRegistry registry;
    private final Tags own;
    private final Names names = new Names();

    /** Registers nothing yet. */
    public FastPathMetrics(MeterRegistry registry, String source, String subscription) {
        this.registry = registry;
        this.own = Tags.of("source", source, "subscription", subscription);
    }

    /** A handler ran for so long. */
    public void ran(String name, Duration duration) {
        registry.timer("tailrace.executor.duration", own.and("name", names.label(name)))
                .record(duration);
    }

    /** What became of an event. */
    public void dispatched(Enum<?> outcome) {
        String word = outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
        registry.counter("tailrace.executor.fast.path", own.and("outcome", word))
                .increment();
    }
}
