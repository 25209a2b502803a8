package io.tailrace.proof.child;

import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where everything is.
 *
 * @param postgresPort on the loopback address
 * @param brokerPort on the loopback address
 * @param maxBatchSize of the engine: small ones end within a COPY more often
 */
public record Site(int postgresPort, int brokerPort, int maxBatchSize) {

    /** Of the one database there is. */
    public static final String DATABASE = "proof";

    static final String HOST = "127.0.0.1";

    /** How often a heartbeat goes through the log; more often than by default, so that there is more of them among the rows. */
    private static final String HEARTBEAT = "1s";

    /** What is not said here has its default. */
    public TailraceConfig config() {
        return read(file());
    }

    /** As a configuration file has it. */
    Map<String, Object> file() {
        return Map.of(
                "namespace",
                "proof",
                "source",
                Map.of(
                        "host",
                        HOST,
                        "port",
                        postgresPort,
                        "database",
                        DATABASE,
                        "user",
                        "postgres",
                        "sslmode",
                        "disable"),
                "kafka",
                Map.of("bootstrap-servers", bootstrapServers()),
                "topics",
                topics(),
                "engine",
                Map.of("heartbeat-interval", HEARTBEAT, "max-batch-size", maxBatchSize),
                "executor",
                Map.of("retry", Map.of("base", "500ms", "cap", "2s")));
    }

    /** An odd number: of two executors each has what is due of some keys, and the other what is due again of them. */
    static Map<String, Object> topics() {
        return Map.of("partitions", 5, "replication", 1, "min-insync-replicas", 1);
    }

    static TailraceConfig read(Map<String, Object> file) {
        return ConfigReader.read(file, Map.of(), new NoSurroundings()).match(config -> config, problems -> {
            throw new IllegalStateException("the proof's own configuration is refused: " + problems);
        });
    }

    /** Of the broker. */
    public String bootstrapServers() {
        return HOST + ":" + brokerPort;
    }

    /** For the command line of a child. */
    public List<String> arguments() {
        return List.of(Integer.toString(postgresPort), Integer.toString(brokerPort), Integer.toString(maxBatchSize));
    }

    static Site of(String[] arguments) {
        return new Site(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
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
