package io.tailrace.benchmarks.contender;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.engine.CdcEngine;
import io.tailrace.engine.EngineMetrics;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tailrace's engine with the configuration that a user gets who sets nothing. */
final class TailracePipeline implements Pipeline {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicBoolean halted = new AtomicBoolean();
    private final CdcEngine engine;

    TailracePipeline(Servers servers, Site site, OutboxMode mode, Map<String, String> settings) {
        this.engine = new CdcEngine(
                TailraceDefaults.config(servers, site, mode, settings),
                registry,
                Clock.systemUTC(),
                () -> halted.set(true));
    }

    @Override
    public void start() {
        engine.start();
    }

    @Override
    public long delivered() {
        Health health = engine.health();
        // What it waits out by itself counts as time, as it would for a user.
        if (halted.get() || health.state() == Health.State.FAILED) {
            throw new IllegalStateException("the engine is " + health);
        }
        // Counted when the transaction of a batch is committed.
        Counter rows = registry.find(EngineMetrics.PREFIX + "rows").counter();
        return rows == null ? 0 : (long) rows.count();
    }

    @Override
    public void close() {
        engine.close();
    }
}
