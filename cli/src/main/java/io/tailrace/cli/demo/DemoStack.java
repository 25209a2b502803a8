package io.tailrace.cli.demo;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.embedded.EmbeddedStack;
import io.tailrace.engine.CdcEngine;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.router.OutboxRouter;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** PostgreSQL, Kafka and all parts in this process, on free ports, in a directory that is removed afterwards. Not thread-safe. */
final class DemoStack implements AutoCloseable {

    private static final String DATABASE = "shop";

    private final Path directory;
    private final EmbeddedStack servers;
    private final MeterRegistry metrics = new SimpleMeterRegistry();
    private final Clock clock;
    private final TailraceConfig config;
    private Part engine;
    private Part router;
    private Part executor;

    private DemoStack(Path directory, EmbeddedStack servers, Clock clock) {
        this.directory = directory;
        this.servers = servers;
        this.clock = clock;
        this.config = config(servers, directory, List.of("sales.*", "billing.*"));
        this.engine = new CdcEngine(config, metrics, clock);
        this.router = new OutboxRouter(config, metrics, clock);
        this.executor = new CommandExecutor(config, ShopHandlers.all(), metrics, clock);
    }

    static DemoStack start(Clock clock) throws IOException, SQLException {
        Path directory = Files.createTempDirectory("tailrace-demo-");
        EmbeddedStack servers = null;
        try {
            servers = EmbeddedStack.start(directory, 0, 0, false);
            servers.postgres().createDatabase(DATABASE);
            DemoStack stack = new DemoStack(directory, servers, clock);
            stack.migrate();
            return stack;
        } catch (SQLException | RuntimeException | Error failed) {
            if (servers != null) {
                servers.close();
            }
            delete(directory);
            throw failed;
        }
    }

    TailraceConfig config() {
        return config;
    }

    List<Part> parts() {
        return List.of(engine, router, executor);
    }

    void startParts() {
        executor.start();
        router.start();
        engine.start();
    }

    /** Mends the cause of a dead letter as its owner would: a route in the configuration, and the router again. */
    void restartRouterWithRoute(String pattern) {
        router.close();
        router = new OutboxRouter(config(servers, directory, List.of("sales.*", "billing.*", pattern)), metrics, clock);
        router.start();
    }

    @Override
    public void close() {
        List<AutoCloseable> inOrder = new ArrayList<>(parts());
        inOrder.add(servers);
        RuntimeException first = null;
        for (AutoCloseable each : inOrder) {
            try {
                each.close();
            } catch (Exception failed) {
                if (first == null) {
                    first = new IllegalStateException("the demo did not close cleanly", failed);
                } else {
                    first.addSuppressed(failed);
                }
            }
        }
        delete(directory);
        if (first != null) {
            throw first;
        }
    }

    private void migrate() throws SQLException {
        try (Connection connection =
                DriverManager.getConnection(servers.postgres().jdbcUrl(DATABASE))) {
            Schema.migrate(connection, config.source().tables(), Scope.ALL, Ownership.of(config.namespace(), DATABASE));
        }
    }

    /** As its YAML file would be; short waits are all that is special. */
    private static TailraceConfig config(EmbeddedStack servers, Path directory, List<String> routes) {
        List<Map<String, String>> rules = routes.stream()
                .map(pattern -> Map.of("pattern", pattern, "topic", "shop.events.{context}"))
                .toList();
        Map<String, Object> tree = Map.of(
                "namespace",
                "shop",
                "source",
                Map.of(
                        "host", "127.0.0.1",
                        "port", servers.postgres().port(),
                        "database", DATABASE,
                        "user", "postgres",
                        "sslmode", "disable"),
                "kafka",
                Map.of("bootstrap-servers", servers.broker().bootstrapServers()),
                "topics",
                Map.of("partitions", "4", "replication", "1", "min-insync-replicas", "1"),
                "engine",
                Map.of("heartbeat-interval", "1s"),
                "router",
                Map.of(
                        "routes", Map.of("default", "none", "rules", rules),
                        "retry", Map.of("base", "300ms", "cap", "2s"),
                        "state-directory", directory.resolve("state").toString().replace("${", "$${"),
                        "instance-id", "demo"),
                "executor",
                Map.of("retry", Map.of("base", "300ms", "cap", "2s"), "on-missing-handler", "wait"),
                "http",
                Map.of("enabled", "false"));
        return ConfigReader.read(tree, Map.of(), NoSurroundings.INSTANCE).match(read -> read, problems -> {
            throw new IllegalStateException("the demo's configuration is wrong: " + problems);
        });
    }

    private static void delete(Path directory) {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + directory, failed);
        }
    }

    /** The demo's configuration holds no placeholders. */
    private enum NoSurroundings implements Surroundings {
        INSTANCE;

        @Override
        public Optional<String> variable(String name) {
            return Optional.empty();
        }

        @Override
        public String file(String path) throws IOException {
            throw new IOException(path);
        }
    }
}
