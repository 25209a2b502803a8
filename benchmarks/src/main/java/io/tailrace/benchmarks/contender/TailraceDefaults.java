package io.tailrace.benchmarks.contender;

import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.OutboxMode;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of a user who sets nothing but where the servers are; one replica, because there is one broker; and of the engine
 * what the command line of the benchmark says.
 */
final class TailraceDefaults {

    private TailraceDefaults() {}

    static TailraceConfig config(Servers servers, Site site, OutboxMode mode, Map<String, String> engine) {
        Map<String, Object> file = Map.of(
                "namespace",
                site.database(),
                "source",
                Map.of(
                        "host",
                        Servers.HOST,
                        "port",
                        servers.postgresPort(),
                        "database",
                        site.database(),
                        "user",
                        Servers.USER),
                "kafka",
                Map.of("bootstrap-servers", servers.bootstrapServers()),
                "topics",
                Map.of("replication", 1, "min-insync-replicas", 1),
                "outbox",
                Map.of("mode", mode.name().toLowerCase(Locale.ROOT)),
                "engine",
                engine);
        return ConfigReader.read(file, Map.of(), new NoSurroundings()).match(config -> config, problems -> {
            throw new IllegalStateException("the benchmark's own configuration is refused: " + problems);
        });
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
