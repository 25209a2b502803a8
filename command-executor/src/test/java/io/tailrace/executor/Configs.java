package io.tailrace.executor;

import io.tailrace.contract.config.EngineConfig;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
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
import java.util.List;
import java.util.Map;

/** Configurations for tests: two partitions, short waits. */
final class Configs {

    static final RetryPolicy QUICK = new RetryPolicy(Duration.ofMillis(200), Duration.ofSeconds(1), 3);

    private Configs() {}

    static ExecutorConfig executor(int workers) {
        return new ExecutorConfig(
                workers, QUICK, Map.of(), Duration.ofSeconds(10), MissingHandler.DEAD, Duration.ofSeconds(5));
    }

    static ExecutorConfig withTimeout(Duration handlerTimeout) {
        return new ExecutorConfig(4, QUICK, Map.of(), handlerTimeout, MissingHandler.DEAD, Duration.ofSeconds(5));
    }

    static TailraceConfig of(
            String namespace, int postgresPort, String database, String kafka, ExecutorConfig executor) {
        return new TailraceConfig(
                new Namespace(namespace),
                new SourceConfig(
                        "127.0.0.1", postgresPort, database, "postgres", Secret.of(""), "disable", TableNames.DEFAULT),
                // A member that was killed is noticed soon, and one that only has to wait for a processor is not taken
                // for it.
                new KafkaConfig(kafka, Map.of("session.timeout.ms", "3000", "heartbeat.interval.ms", "500")),
                new TopicsConfig(2, 1, 1, true, 1 << 20, Duration.ofDays(14)),
                new EngineConfig(
                        Duration.ofMillis(10), 100, 1000, 1 << 24, Duration.ofSeconds(5), Duration.ofSeconds(5)),
                new RouterConfig(
                        new RoutesConfig(RoutesConfig.Default.CONTEXT, List.of()),
                        RetryPolicy.EVENTS,
                        RouterConfig.Guarantee.EXACTLY_ONCE,
                        Duration.ofMillis(20),
                        1,
                        Path.of("target", "state"),
                        "test"),
                executor,
                new HttpConfig(false, "127.0.0.1", 0));
    }
}
