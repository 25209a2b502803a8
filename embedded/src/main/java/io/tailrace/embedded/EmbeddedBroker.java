package io.tailrace.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Kafka broker in this JVM, one node that is broker and controller in KRaft mode, on the loopback address. Topics are
 * never made by being used.
 *
 * <p>With a data directory of the caller's the data outlive {@link #close}; without one they are removed. Thread-safe;
 * {@link #stop} and {@link #close} may be called in any state and more than once.
 */
public final class EmbeddedBroker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
    private static final int NODE = 1;
    private static final int JOINING_NODE = 2;
    private static final String CLIENT_LISTENER = "PLAINTEXT";
    private static final String CONTROLLER_LISTENER = "CONTROLLER";
    private static final int FREE_PORT_TRIES = 5;
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 15;

    private final Path data;
    private final boolean temporary;
    private final Map<String, String> settings;
    private final Thread exitHook = new Thread(this::close, "tailrace-broker-exit");
    private final int advertisedPort;
    /** The one that has the controller; null where this one has it. */
    private final @Nullable EmbeddedBroker first;

    private int port;
    private int controllerPort;
    private @Nullable KafkaRaftServer server;
    private boolean closed;

    private EmbeddedBroker(Builder builder) {
        this.temporary = builder.dataDirectory == null;
        this.data = builder.dataDirectory == null
                ? Directories.temporary("tailrace-broker-")
                : Directories.create(builder.dataDirectory);
        this.settings = Map.copyOf(builder.settings);
        this.advertisedPort = builder.advertisedPort;
        this.first = builder.first;
    }

    /** Defaults: a free port, a temporary data directory, stopped at the latest when the JVM exits. */
    public static Builder builder() {
        return new Builder();
    }

    /** Not thread-safe. */
    public static final class Builder {
        private @Nullable Path dataDirectory;
        private int port;
        private int advertisedPort;
        private @Nullable EmbeddedBroker first;
        private boolean stopOnExit = true;
        private final Map<String, String> settings = new LinkedHashMap<>();

        private Builder() {
            settings.put("auto.create.topics.enable", "false");
            settings.put("default.replication.factor", "1");
            settings.put("min.insync.replicas", "1");
            settings.put("num.partitions", "1");
            settings.put("offsets.topic.replication.factor", "1");
            settings.put("offsets.topic.num.partitions", "5");
            settings.put("transaction.state.log.replication.factor", "1");
            settings.put("transaction.state.log.min.isr", "1");
            settings.put("transaction.state.log.num.partitions", "5");
            settings.put("share.coordinator.state.topic.replication.factor", "1");
            settings.put("share.coordinator.state.topic.min.isr", "1");
            settings.put("share.coordinator.state.topic.num.partitions", "1");
            settings.put("group.initial.rebalance.delay.ms", "0");
            // After a kill -9 the controller takes the broker back only when its old session is over: 9 s by default.
            settings.put("broker.session.timeout.ms", "4000");
            settings.put("broker.heartbeat.interval.ms", "1000");
            // The cleaner's default map takes 128 MB of heap; here logs are small.
            settings.put("log.cleaner.threads", "1");
            settings.put("log.cleaner.dedupe.buffer.size", "4194304");
            settings.put("log.cleaner.io.buffer.size", "262144");
            settings.put("num.network.threads", "2");
            settings.put("num.io.threads", "4");
            settings.put("background.threads", "2");
        }

        /** Keeps the data there; it may hold those of an earlier run. */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /** A TCP port for clients; 0 takes a free one. */
        public Builder port(int value) {
            this.port = value;
            return this;
        }

        /** The port that clients are told to use, where something stands between them and the broker; 0 is its own. */
        public Builder advertisedPort(int value) {
            this.advertisedPort = value;
            return this;
        }

        /** Joins the cluster of a running broker as its second node, which only has data. The first one must not be restarted. */
        public Builder joining(EmbeddedBroker running) {
            this.first = running;
            return this;
        }

        /** A broker setting; replaces the default of the same name. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * Whether the exit of the JVM stops the broker. A caller with a shutdown hook of its own switches this off and closes
         * in its own order: hooks run side by side.
         */
        public Builder stopOnExit(boolean value) {
            this.stopOnExit = value;
            return this;
        }

        /** @throws EmbeddedStartException if the port or the data are in use, or the broker does not come up */
        public EmbeddedBroker start() {
            EmbeddedBroker broker = new EmbeddedBroker(this);
            try {
                broker.startFirst(port);
            } catch (RuntimeException | Error e) {
                broker.close();
                throw e;
            }
            if (stopOnExit) {
                Runtime.getRuntime().addShutdownHook(broker.exitHook);
            }
            return broker;
        }
    }

    /** The port for clients, the same through every restart. */
    public synchronized int port() {
        return port;
    }

    /** What clients call {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port();
    }

    /** Where the data are. */
    public Path dataDirectory() {
        return data;
    }

    /** Whether the broker was started and not stopped since. */
    public synchronized boolean isRunning() {
        return server != null;
    }

    /** Stops in order. A broker that has not stopped within 15 s is left behind: its quorum client has been seen to spin for ever. */
    public synchronized void stop() {
        KafkaRaftServer stopping = server;
        if (stopping == null) {
            return;
        }
        server = null;
        Thread stopper = new Thread(
                () -> {
                    stopping.shutdown();
                    stopping.awaitShutdown();
                },
                "tailrace-broker-stop");
        stopper.setDaemon(true);
        stopper.start();
        try {
            stopper.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (stopper.isAlive()) {
            LOG.warn("Kafka on port {} has not stopped within {} s and is left behind", port, STOP_SECONDS);
        } else {
            LOG.info("Kafka on port {} stopped", port);
        }
    }

    /** Starts again after a stop, on the same port and data. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("This broker is closed; make another one on its data directory");
        }
        if (server == null) {
            startServer();
        }
    }

    /** Stops and starts again. */
    public synchronized void restart() {
        stop();
        start();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        stop();
        if (temporary) {
            Directories.delete(data);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException exiting) {
            LOG.debug("Closed while the JVM exits");
        }
    }

    private synchronized void startFirst(int wantedPort) {
        if (wantedPort != 0) {
            port = wantedPort;
            startServer();
            return;
        }
        for (int attempt = 1; ; attempt++) {
            port = LocalPorts.free();
            try {
                startServer();
                return;
            } catch (EmbeddedStartException e) {
                // Only a port that somebody took between the look and the bind is worth another try.
                if (attempt == FREE_PORT_TRIES || !LocalPorts.wasTaken(port, e)) {
                    throw e;
                }
            }
        }
    }

    private void startServer() {
        LocalPorts.requireFree(port, "Kafka");
        format();
        try {
            controllerPort = first == null ? LocalPorts.free() : first.controllerPort;
            server = startWithoutExit(new KafkaConfig(configuration(), false));
        } catch (RuntimeException e) {
            throw new EmbeddedStartException(
                    "Kafka did not start on port " + port + " in " + data + ": " + rootMessage(e)
                            + ". If another process uses this directory, stop it or choose another directory.",
                    e);
        }
        LOG.info("Kafka runs on port {}, data in {}", port, data);
    }

    /**
     * A broker that cannot start ends its process, from any of its threads, while the starting one may wait for ever. Here the
     * process is the caller's, so while the broker starts its exit only decides the outcome. The exit procedure is one for the
     * whole JVM: two brokers do not start at the same moment.
     */
    private static KafkaRaftServer startWithoutExit(KafkaConfig config) {
        synchronized (EmbeddedBroker.class) {
            CompletableFuture<KafkaRaftServer> outcome = new CompletableFuture<>();
            Exit.Procedure giveUp = (status, message) -> {
                IllegalStateException reason =
                        new IllegalStateException("the broker gave up with status " + status + "; its log says why");
                outcome.completeExceptionally(reason);
                throw reason;
            };
            Exit.setExitProcedure(giveUp);
            Exit.setHaltProcedure(giveUp);
            Thread starter = new Thread(() -> startup(config, outcome), "tailrace-broker-start");
            starter.setDaemon(true);
            starter.start();
            try {
                return outcome.get(START_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (TimeoutException e) {
                throw new IllegalStateException("not up within " + START_SECONDS + " s", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            } finally {
                Exit.resetExitProcedure();
                Exit.resetHaltProcedure();
            }
        }
    }

    /** Whoever completes the outcome first has decided it: a broker that comes up after it was given up is stopped again. */
    private static void startup(KafkaConfig config, CompletableFuture<KafkaRaftServer> outcome) {
        KafkaRaftServer starting = null;
        try {
            starting = new KafkaRaftServer(config, Time.SYSTEM);
            starting.startup();
            if (outcome.complete(starting)) {
                return;
            }
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
        if (starting != null) {
            starting.shutdown();
        }
    }

    private Map<String, String> configuration() {
        Map<String, String> all = new LinkedHashMap<>(settings);
        String forClients = CLIENT_LISTENER + "://127.0.0.1:" + port;
        all.put("process.roles", first == null ? "broker,controller" : "broker");
        all.put("node.id", Integer.toString(node()));
        all.put("controller.quorum.voters", NODE + "@127.0.0.1:" + controllerPort);
        all.put(
                "listeners",
                first == null ? forClients + "," + CONTROLLER_LISTENER + "://127.0.0.1:" + controllerPort : forClients);
        all.put(
                "advertised.listeners",
                CLIENT_LISTENER + "://127.0.0.1:" + (advertisedPort == 0 ? port : advertisedPort));
        all.put("listener.security.protocol.map", CLIENT_LISTENER + ":PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
        all.put("inter.broker.listener.name", CLIENT_LISTENER);
        all.put("controller.listener.names", CONTROLLER_LISTENER);
        all.put("log.dirs", data.toString());
        return all;
    }

    private void format() {
        if (Files.exists(data.resolve("meta.properties"))) {
            return;
        }
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setClusterId(first == null ? Uuid.randomUuid().toString() : first.clusterId())
                    .setNodeId(node())
                    .setControllerListenerName(CONTROLLER_LISTENER)
                    .setMetadataLogDirectory(data.toString())
                    .addDirectory(data.toString())
                    .run();
        } catch (IOException e) {
            throw new EmbeddedStartException("Cannot write Kafka's data directory " + data + ": " + e, e);
        } catch (Exception e) {
            throw new EmbeddedStartException("Cannot format " + data + " for Kafka: " + e, e);
        }
    }

    private int node() {
        return first == null ? NODE : JOINING_NODE;
    }

    private String clusterId() throws IOException {
        Properties meta = new Properties();
        try (Reader reader = Files.newBufferedReader(data.resolve("meta.properties"))) {
            meta.load(reader);
        }
        return meta.getProperty("cluster.id");
    }

    private static String rootMessage(Throwable thrown) {
        Throwable cause = thrown;
        for (Throwable next = cause.getCause(); next != null; next = next.getCause()) {
            cause = next;
        }
        return String.valueOf(cause.getMessage());
    }
}
