package io.tailrace.cli;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The registry of one process: the parts' metrics, and those of the JVM under them. */
final class Metrics {

    private Metrics() {}

    static PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ClassLoaderMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        return registry;
    }

    /**
     * Makes room for the gauges of a part that takes the place of another: a registry would keep those of the first, which show what that one
     * last saw. What was counted goes on.
     */
    static void forgetGauges(MeterRegistry registry, String prefix, String tag, String value) {
        registry.getMeters().stream()
                .filter(meter -> meter instanceof Gauge
                        && meter.getId().getName().startsWith(prefix)
                        && value.equals(meter.getId().getTag(tag)))
                .forEach(registry::remove);
    }
}
