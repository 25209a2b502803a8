package io.tailrace.benchmarks.contender;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.router.OutboxRouter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Tailrace's router with the configuration that a user gets who sets nothing: one stream thread. Its stores go with it. */
final class RouterPipeline implements Pipeline {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final OutboxRouter router;
    private final Collection<Counter> routed;
    private final Path stores;

    private RouterPipeline(TailraceConfig config, Path stores) {
        this.router = new OutboxRouter(config, registry, Clock.systemUTC());
        this.stores = stores;
        // All are there from the start; a look every 2 ms is not to cost what it measures.
        this.routed = registry.get("tailrace.router.routed").counters();
    }

    static RouterPipeline of(Servers servers, Site site, Map<String, String> settings) {
        Path stores = temporary();
        Map<String, String> all = TailraceDefaults.with(settings, "router.state-directory", stores.toString());
        return new RouterPipeline(TailraceDefaults.config(servers, site, OutboxMode.TABLE, all), stores);
    }

    @Override
    public void start() {
        router.start();
    }

    /** Rows that were routed. They are committed by a transaction that ends within the router's commit interval. */
    @Override
    public long delivered() {
        if (router.health().state() == Health.State.FAILED) {
            throw new IllegalStateException("the router is " + router.health());
        }
        return (long) routed.stream().mapToDouble(Counter::count).sum();
    }

    @Override
    public void close() {
        router.close();
        try (Stream<Path> files = Files.walk(stores)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("tailrace-benchmark-stores-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
