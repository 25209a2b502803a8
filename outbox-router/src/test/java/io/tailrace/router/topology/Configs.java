package io.tailrace.router.topology;

import io.tailrace.contract.config.EngineConfig;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.HttpConfig;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.retry.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A configuration for tests, short waits included. */
public final class Configs {

    private Configs() {}

    public static TailraceConfig of(
            String namespace,
            String bootstrapServers,
            int partitions,
            RoutesConfig routes,
            RetryPolicy retry,
            Path state) {
        return of(namespace, bootstrapServers, partitions, routes, retry, state, true);
    }

    public static TailraceConfig of(
            String namespace,
            String bootstrapServers,
            int partitions,
            RoutesConfig routes,
            RetryPolicy retry,
            Path state,
            boolean autoCreate) {
        return new TailraceConfig(
                new Namespace(namespace),
                new SourceConfig("localhost", 5432, "shop", "tailrace", Secret.of(""), "disable", TableNames.DEFAULT),
                new KafkaConfig(bootstrapServers, Map.of()),
                new TopicsConfig(partitions, 1, 1, autoCreate, 1 << 20, Duration.ofDays(14)),
                new EngineConfig(
                        Duration.ofMillis(10), 4096, 32768, 64 << 20, Duration.ofSeconds(5), Duration.ofSeconds(5)),
                new RouterConfig(
                        routes,
                        retry,
                        RouterConfig.Guarantee.EXACTLY_ONCE,
                        Duration.ofMillis(20),
                        1,
                        state,
                        "router-1"),
                new ExecutorConfig(
                        4,
                        RetryPolicy.COMMANDS,
                        Map.of(),
                        Duration.ofSeconds(60),
                        ExecutorConfig.MissingHandler.DEAD,
                        Duration.ofSeconds(10)),
                new HttpConfig(false, "127.0.0.1", 0));
    }
}
