package io.tailrace.system;

import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.testkit.Stack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A configuration in the making, by the paths of its keys; the same one as a value for parts in this JVM and as a file for those in
 * JVMs of their own. Not thread-safe.
 */
final class Settings {

    private final Map<String, Object> values = new LinkedHashMap<>();
    /** By pattern. */
    private final Map<String, Map<String, String>> routes = new LinkedHashMap<>();

    private final Map<String, Map<String, List<String>>> secrets = new LinkedHashMap<>();
    /** Settings of Kafka's own clients. */
    private final Map<String, String> clients = new LinkedHashMap<>();

    private Settings() {}

    /** For a test's servers: few partitions, one replica, waits short enough for a test. Events go where a route says, and else nowhere. */
    static Settings of(Stack stack, Path directory) {
        return new Settings()
                .with("namespace", stack.namespace())
                .with("source.host", "127.0.0.1")
                .with("source.port", Integer.toString(stack.postgres().port()))
                .with("source.database", stack.database())
                .with("source.user", "postgres")
                .with("source.sslmode", "disable")
                .with("kafka.bootstrap-servers", stack.bootstrapServers())
                .with("topics.partitions", "3")
                .with("topics.replication", "1")
                .with("topics.min-insync-replicas", "1")
                .with("engine.heartbeat-interval", "500ms")
                .with("router.routes.default", "none")
                .with("router.retry.base", "300ms")
                .with("router.retry.cap", "2s")
                .with("router.state-directory", directory.resolve("state").toString())
                .with("router.instance-id", "the-router")
                .with("executor.workers", "6")
                .with("executor.retry.base", "300ms")
                .with("executor.retry.cap", "2s")
                .with("http.enabled", "false");
    }

    /** Sets one key. */
    Settings with(String path, String value) {
        values.put(path, value);
        return this;
    }

    /** A subscription to these events, with waits short enough for a test. */
    Settings subscription(String name, String... events) {
        String path = "subscriptions." + name;
        values.put(path + ".events", List.of(events));
        return with(path + ".retry.base", "200ms")
                .with(path + ".retry.cap", "200ms")
                .with(path + ".retry.max-attempts", "3");
    }

    /** Adds a rule: names of this pattern go to {@code <ns>.events.<context>}. */
    Settings route(String pattern) {
        return route(pattern, Map.of());
    }

    /** The same, with more said or said otherwise; in the place of a rule of that pattern. */
    Settings route(String pattern, Map<String, String> keys) {
        Map<String, String> rule = new LinkedHashMap<>();
        rule.put("pattern", pattern);
        rule.put("topic", values.get("namespace") + ".events.{context}");
        rule.putAll(keys);
        routes.put(pattern, rule);
        return this;
    }

    /** How soon the broker takes an executor that was killed for dead, and one that only has to wait for a processor it does not. */
    Settings session(Duration timeout) {
        clients.put("session.timeout.ms", Long.toString(timeout.toMillis()));
        clients.put("heartbeat.interval.ms", Long.toString(timeout.toMillis() / 6));
        return this;
    }

    /** Names what is secret in {@code events} or {@code commands} of a pattern. */
    Settings secret(String of, String pattern, String... paths) {
        secrets.computeIfAbsent(of, none -> new LinkedHashMap<>()).put(pattern, List.of(paths));
        return this;
    }

    /** As the parts take it. */
    TailraceConfig config() {
        return ConfigReader.read(tree(), Map.of(), NoSurroundings.INSTANCE).match(read -> read, problems -> {
            throw new IllegalStateException("the test's configuration is wrong: " + problems);
        });
    }

    /** As a file holds it. Texts in double quotes are the same in YAML and in Java. */
    String yaml() {
        return yaml(tree());
    }

    private Map<String, Object> tree() {
        Map<String, Object> root = new LinkedHashMap<>();
        values.forEach((path, value) -> put(root, List.of(path.split("\\.")), value));
        put(root, List.of("router", "routes", "rules"), List.copyOf(routes.values()));
        secrets.forEach((of, paths) -> put(root, List.of("redact", of), paths));
        clients.forEach((key, value) -> put(root, List.of("kafka", "properties", key), value));
        return root;
    }

    @SuppressWarnings("unchecked") // every node that is not a leaf was made here
    private static void put(Map<String, Object> node, List<String> path, Object value) {
        if (path.size() == 1) {
            node.put(path.get(0), value);
        } else {
            Object below = node.computeIfAbsent(path.get(0), key -> new LinkedHashMap<String, Object>());
            put((Map<String, Object>) below, path.subList(1, path.size()), value);
        }
    }

    private static String yaml(Object node) {
        if (node instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, value) -> entries.add(yaml(key) + ": " + yaml(value)));
            return "{" + String.join(", ", entries) + "}";
        }
        if (node instanceof List<?> list) {
            return "[" + String.join(", ", list.stream().map(Settings::yaml).toList()) + "]";
        }
        return "\"" + node.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /** There are no placeholders. */
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
