package io.tailrace.benchmarks.contender;

import io.tailrace.contract.record.OutboxMode;
import java.util.Map;

/** Engine and router in one JVM, as {@code tailrace run} has them: what the one writes the other reads. */
final class WholePipeline implements Pipeline {

    private final EnginePipeline engine;
    private final RouterPipeline router;

    private WholePipeline(EnginePipeline engine, RouterPipeline router) {
        this.engine = engine;
        this.router = router;
    }

    static WholePipeline of(Servers servers, Site site, Map<String, String> settings) {
        return new WholePipeline(
                EnginePipeline.of(servers, site, OutboxMode.TABLE, settings),
                RouterPipeline.of(servers, site, settings));
    }

    @Override
    public void start() {
        engine.start();
        router.start();
    }

    @Override
    public long delivered() {
        // Asked too, so that its failure is one of both.
        long raw = engine.delivered();
        return Math.min(raw, router.delivered());
    }

    @Override
    public void close() {
        try (engine) {
            router.close();
        }
    }
}
