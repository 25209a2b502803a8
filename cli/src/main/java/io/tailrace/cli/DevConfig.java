package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.embedded.EmbeddedStack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The configuration of {@code dev}: written once, with ports that were free, and the user's to change from then on. */
final class DevConfig {

    static final String FILE = "tailrace.yml";

    private static final int POSTGRES_PORT = 15_432;
    private static final int KAFKA_PORT = 19_092;
    private static final int HTTP_PORT = 9464;
    private static final int MOST_PORT = 65_535;

    private DevConfig() {}

    /** Reads the configuration of a data directory, or writes the first one. */
    static TailraceConfig in(Path data) throws IOException {
        Path file = data.resolve(FILE);
        if (!Files.exists(file)) {
            Files.writeString(
                    file,
                    text(
                            free(POSTGRES_PORT),
                            free(KAFKA_PORT),
                            free(HTTP_PORT),
                            data.resolve("state").toString()));
        }
        return ConfigOption.read(file);
    }

    static int kafkaPort(TailraceConfig config) {
        String servers = config.kafka().bootstrapServers();
        try {
            int port = Integer.parseInt(servers.substring(servers.lastIndexOf(':') + 1));
            if (port >= 1 && port <= MOST_PORT) {
                return port;
            }
        } catch (NumberFormatException notOneAddress) {
            throw notOnePort(servers);
        }
        throw notOnePort(servers);
    }

    private static ConfigRefused notOnePort(String servers) {
        return new ConfigRefused(
                "kafka.bootstrap-servers must be 127.0.0.1:<port> with a port from 1 to %d for `%s dev`, is %s"
                        .formatted(MOST_PORT, Called.name(), servers));
    }

    static boolean exists(EmbeddedStack stack, String database) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(stack.postgres().jdbcUrl());
                PreparedStatement statement =
                        connection.prepareStatement("SELECT FROM pg_database WHERE datname = ?")) {
            statement.setString(1, database);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static String text(int postgres, int kafka, int http, String state) {
        return """
                # Written by `tailrace dev` at its first start, with ports that were free; change it as you like.
                # Every key there is: tailrace config reference
                namespace: dev
                source:
                  host: 127.0.0.1
                  port: %d
                  database: app
                  user: postgres
                  sslmode: disable
                kafka:
                  bootstrap-servers: 127.0.0.1:%d
                topics:
                  partitions: 4
                  replication: 1
                  min-insync-replicas: 1
                router:
                  state-directory: '%s'
                  instance-id: dev
                executor:
                  # A command waits until there is a handler for it: put jars in $TAILRACE_CLASSPATH.
                  on-missing-handler: wait
                http:
                  port: %d
                """.formatted(postgres, kafka, state.replace("'", "''").replace("${", "$${"), http);
    }

    /** The wanted port if it is free, else another one. */
    private static int free(int wanted) throws IOException {
        try (ServerSocket socket = new ServerSocket(wanted, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException taken) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        }
    }
}
