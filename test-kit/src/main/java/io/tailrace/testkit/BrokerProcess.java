package io.tailrace.testkit;

import io.tailrace.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A broker in a JVM of its own, to be killed: it comes back on the same port and the same data, as after a crash. It has the settings of the
 * embedded broker, without those that tests add for speed. Not thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {

    private static final String UP = "broker is up on port ";
    private static final Duration START_WITHIN = Duration.ofSeconds(90);

    private final Path data;
    private final Map<String, String> settings;
    private int port;
    private ChildJvm process;

    private BrokerProcess(Path data, Map<String, String> settings) {
        this.data = data;
        this.settings = Map.copyOf(settings);
        this.process = launch();
    }

    /**
     * Starts one and waits until it is up.
     *
     * @param settings on top of the embedded broker's
     */
    public static BrokerProcess start(Path data, Map<String, String> settings) {
        return new BrokerProcess(data, settings);
    }

    /** What clients call {@code bootstrap.servers}, the same through every restart. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** Ends it at once, as {@code kill -9} does. */
    public void kill() {
        process.kill();
    }

    /** Starts it again after a kill. */
    public void start() {
        process = launch();
    }

    @Override
    public void close() {
        process.close();
    }

    private ChildJvm launch() {
        List<String> arguments = new ArrayList<>(List.of(data.toString(), Integer.toString(port)));
        settings.forEach((name, value) -> arguments.add(name + "=" + value));
        ChildJvm started = ChildJvm.of(BrokerProcess.class)
                .heap("512m")
                .arguments(arguments.toArray(String[]::new))
                .start();
        try {
            String line = started.awaitLine(UP, START_WITHIN);
            port = Integer.parseInt(
                    line.substring(line.indexOf(UP) + UP.length()).strip());
            return started;
        } catch (RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    /** Data directory, port or 0, settings. */
    public static void main(String[] arguments) throws InterruptedException {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder()
                .dataDirectory(Path.of(arguments[0]))
                .port(Integer.parseInt(arguments[1]))
                .stopOnExit(false);
        for (int i = 2; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            builder.setting(setting[0], setting[1]);
        }
        EmbeddedBroker broker = builder.start();
        System.out.println(UP + broker.port());
        new CountDownLatch(1).await();
    }
}
