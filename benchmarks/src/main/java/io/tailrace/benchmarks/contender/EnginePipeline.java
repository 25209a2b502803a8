package io.tailrace.benchmarks.contender;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.engine.CdcEngine;
import io.tailrace.engine.EngineMetrics;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tailrace's engine with the configuration that a user gets who sets nothing. */
final class EnginePipeline implements Pipeline {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicBoolean halted = new AtomicBoolean();
    private final CdcEngine engine;

    EnginePipeline(TailraceConfig config) {
        this.engine = new CdcEngine(config, registry, Clock.systemUTC(), () -> halted.set(true));
    }

    static EnginePipeline of(Servers servers, Site site, OutboxMode mode, Map<String, String> settings) {
        return new EnginePipeline(TailraceDefaults.config(servers, site, mode, settings));
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
