package io.tailrace.benchmarks.contender;

import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.OutboxMode;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The configuration of a user who sets nothing but where the servers are; one replica, because there is one broker; stores of a
 * contender's own; and what the command line of the benchmark says.
 */
final class TailraceDefaults {

    private TailraceDefaults() {}

    /** Settings with one more. */
    static Map<String, String> with(Map<String, String> settings, String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return more;
    }

    /** @param settings by whole name, such as {@code engine.max-batch-size} */
    static TailraceConfig config(Servers servers, Site site, OutboxMode mode, Map<String, String> settings) {
        Map<String, Object> file = new TreeMap<>();
        put(file, "namespace", site.database());
        put(file, "source.host", Servers.HOST);
        put(file, "source.port", servers.postgresPort());
        put(file, "source.database", site.database());
        put(file, "source.user", Servers.USER);
        put(file, "kafka.bootstrap-servers", servers.bootstrapServers());
        put(file, "topics.replication", 1);
        put(file, "topics.min-insync-replicas", 1);
        put(file, "outbox.mode", mode.name().toLowerCase(Locale.ROOT));
        put(file, "router.instance-id", "bench");
        settings.forEach((name, value) -> put(file, name, value));
        return ConfigReader.read(file, Map.of(), new NoSurroundings()).match(config -> config, problems -> {
            throw new IllegalStateException("the benchmark's configuration is refused: " + problems);
        });
    }

    private static void put(Map<String, Object> tree, String name, Object value) {
        int dot = name.indexOf('.');
        if (dot < 0) {
            tree.put(name, value);
            return;
        }
        @SuppressWarnings("unchecked")
        Map<String, Object> section = (Map<String, Object>)
                tree.computeIfAbsent(name.substring(0, dot), any -> new TreeMap<String, Object>());
        put(section, name.substring(dot + 1), value);
    }

    private static final class NoSurroundings implements Surroundings {

        @Override
        public Optional<String> variable(String name) {
            return Optional.empty();
        }

        @Override
        public String file(String path) throws IOException {
            throw new IOException("there are no files here");
        }
    }
}
