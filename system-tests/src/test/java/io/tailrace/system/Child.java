package io.tailrace.system;

import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A part in a JVM of its own, started by the command line. Not thread-safe. */
final class Child {

    static final String MAIN = "io.tailrace.cli.Tailrace";

    private static final String LISTENS = "Metrics and health on ";
    private static final Duration READY_WITHIN = Duration.ofSeconds(90);

    private final ChildJvm jvm;

    private Child(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /** Starts it and does not wait. */
    static Child start(Stage stage, Path config) {
        return new Child(cli("run", stage.text(), "--config", config.toString()));
    }

    /** The same with more on its class path. */
    static Child start(Stage stage, Path config, Path classes) {
        return new Child(java().classPath(classes)
                .arguments("run", stage.text(), "--config", config.toString())
                .start());
    }

    /** The command line with these arguments, in a JVM of its own. */
    static ChildJvm cli(String... arguments) {
        return java().arguments(arguments).start();
    }

    private static ChildJvm.Builder java() {
        return ChildJvm.of(MAIN)
                // Not this module's: its own log, on its own stderr, is what is waited for.
                .property("logback.configurationFile", "logback.xml")
                .heap("384m");
    }

    /** Waits until the part was started: it is on its way to be ready, or is. */
    void awaitStarted() {
        jvm.awaitLine(LISTENS, READY_WITHIN);
    }

    /** Waits until its readiness says that it makes progress. */
    void awaitReady() {
        String line = jvm.awaitLine(LISTENS, READY_WITHIN);
        URI ready = URI.create(
                line.substring(line.indexOf(LISTENS) + LISTENS.length()).strip() + "/health/ready");
        await("readiness of " + ready)
                .pollInterval(Duration.ofMillis(50))
                .atMost(READY_WITHIN)
                .until(() -> status(ready) == 200);
    }

    /** All it has written to its console. */
    String console() {
        return String.join("\n", jvm.output());
    }

    /** What it shows on a path of its listener. */
    String show(String path) {
        String line = jvm.awaitLine(LISTENS, READY_WITHIN);
        URI uri = URI.create(
                line.substring(line.indexOf(LISTENS) + LISTENS.length()).strip() + path);
        try (InputStream in = uri.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until so many lines of its console hold a text; the last of them. */
    String awaitLine(int count, String text) {
        return await(count + " lines with \"" + text + "\"")
                .pollInterval(Duration.ofMillis(50))
                .atMost(READY_WITHIN)
                .until(
                        () -> jvm.output().stream()
                                .filter(line -> line.contains(text))
                                .toList(),
                        lines -> lines.size() >= count)
                .get(count - 1);
    }

    /** SIGHUP. */
    void hangUp() {
        jvm.hangUp();
    }

    /** kill -9. */
    void kill() {
        jvm.kill();
    }

    private int status(URI uri) throws IOException {
        if (!jvm.isAlive()) {
            throw new AssertionError("ended on its own:\n" + String.join("\n", jvm.output()));
        }
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
