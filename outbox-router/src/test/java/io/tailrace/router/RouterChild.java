package io.tailrace.router;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.topology.Configs;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A router in a JVM of its own, to be killed: namespace, bootstrap servers, state directory, whether it makes destinations. */
final class RouterChild {

    static final int PARTITIONS = 3;

    /** Two attempts within two seconds: an outage that is longer would burn them, if outages did. */
    static final RetryPolicy RETRY = new RetryPolicy(Duration.ofMillis(1_000), Duration.ofMillis(2_000), 2);

    private RouterChild() {}

    static OutboxRouter router(String namespace, String bootstrapServers, Path state) {
        return router(namespace, bootstrapServers, state, RETRY, true);
    }

    static OutboxRouter router(
            String namespace, String bootstrapServers, Path state, RetryPolicy retry, boolean autoCreate) {
        return new OutboxRouter(
                config(namespace, bootstrapServers, state, retry, autoCreate),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
    }

    static TailraceConfig config(
            String namespace, String bootstrapServers, Path state, RetryPolicy retry, boolean autoCreate) {
        RoutesConfig routes = new RoutesConfig(
                RoutesConfig.Default.NONE,
                List.of(
                        new RoutesConfig.Rule("sales.*", namespace + ".events.{context}"),
                        new RoutesConfig.Rule("billing.*", namespace + ".events.{context}"),
                        new RoutesConfig.Rule("names.*", namespace + ".{name}")));
        return Configs.of(namespace, bootstrapServers, PARTITIONS, routes, retry, state, autoCreate);
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean autoCreate = arguments.length < 4 || Boolean.parseBoolean(arguments[3]);
        OutboxRouter router = router(arguments[0], arguments[1], Path.of(arguments[2]), RETRY, autoCreate);
        router.start();
        System.out.println("started");
        new CountDownLatch(1).await();
    }
}
