package io.tailrace.system;

import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetters;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.Stack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The whole of Tailrace on a test's database and broker: each part in this JVM or in one of its own, by the command line, to be killed
 * there. Not thread-safe.
 */
final class Pipeline implements AutoCloseable {

    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final Stack stack;
    private final Path directory;
    private Settings settings;
    private final Map<Stage, Part> parts = new EnumMap<>(Stage.class);
    private final Map<Stage, Child> children = new EnumMap<>(Stage.class);

    private Pipeline(Stack stack, Path directory, Settings settings) {
        this.stack = stack;
        this.directory = directory;
        this.settings = settings;
    }

    /** Migrates the database; nothing runs yet. */
    static Pipeline on(Stack stack, UnaryOperator<Settings> change) {
        try {
            Path directory = Files.createTempDirectory("tailrace-pipeline-");
            Pipeline pipeline = new Pipeline(stack, directory, change.apply(Settings.of(stack, directory)));
            TailraceConfig config = pipeline.config();
            try (Connection connection = stack.connect()) {
                Schema.migrate(
                        connection,
                        config.source().tables(),
                        Scope.ALL,
                        Ownership.of(config.namespace(), config.source().name()));
            }
            return pipeline;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot migrate " + stack.database(), e);
        }
    }

    /** Migrates and starts all parts in this JVM. */
    static Pipeline running(Stack stack, UnaryOperator<Settings> change) {
        Pipeline pipeline = on(stack, change);
        try {
            return pipeline.start(Stage.EXECUTOR, Stage.ROUTER, Stage.ENGINE);
        } catch (RuntimeException | Error e) {
            pipeline.close();
            throw e;
        }
    }

    /** As it is now. */
    TailraceConfig config() {
        return settings.config();
    }

    Topics topics() {
        return config().topicNames();
    }

    /** Where the events of a route go. */
    String destination(String context) {
        return topics().defaultDestination(context);
    }

    DeadLetters deadLetters() {
        return new DeadLetters(config());
    }

    /** Changes the configuration of what is started from now on. */
    Pipeline change(UnaryOperator<Settings> change) {
        settings = change.apply(settings);
        return this;
    }

    /** Starts parts in this JVM, and waits until they make progress. */
    Pipeline start(Stage... stages) {
        for (Stage stage : stages) {
            Part part = stage.make(config());
            parts.put(stage, part);
            part.start();
        }
        for (Stage stage : stages) {
            await(stage + " ready")
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(READY_WITHIN)
                    .failFast(stage + " has failed", () -> health(stage).state() == Health.State.FAILED)
                    .until(() -> health(stage).isReady());
        }
        return this;
    }

    /** What a part of this JVM says of itself. */
    Health health(Stage stage) {
        Part part = parts.get(stage);
        if (part == null) {
            throw new IllegalStateException("the " + stage + " does not run in this JVM");
        }
        return part.health();
    }

    /** Stops a part of this JVM in order. */
    Pipeline stop(Stage stage) {
        Part part = parts.remove(stage);
        if (part != null) {
            part.close();
        }
        return this;
    }

    /** Starts a part in a JVM of its own, in the place of one that was killed, and does not wait for it. */
    Child startChild(Stage stage) {
        return startChild(stage, () -> Child.start(stage, configFile("true")));
    }

    /** The same with more on its class path. */
    Child startChild(Stage stage, Path classes) {
        return startChild(stage, () -> Child.start(stage, configFile("true"), classes));
    }

    private Child startChild(Stage stage, Supplier<Child> start) {
        Child before = children.remove(stage);
        if (before != null) {
            before.kill();
        }
        Child child = start.get();
        children.put(stage, child);
        return child;
    }

    /** Changes the file of the parts that run in JVMs of their own, in one step, as whoever changes it should. */
    void rewrite(UnaryOperator<Settings> change) {
        change(change);
        configFile("true");
    }

    /** A verb of the command line, in a JVM of its own; {@code --config} is added. The caller closes it. */
    ChildJvm cli(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--config", configFile("false").toString()));
        return Child.cli(all.toArray(String[]::new));
    }

    @Override
    public void close() {
        // All children first: in an order they would wait for each other's sessions.
        children.values().forEach(Child::kill);
        for (Stage stage : Stage.values()) {
            stop(stage);
        }
        delete(directory);
    }

    private Path configFile(String http) {
        Path file = directory.resolve("http-" + http + ".yml");
        try {
            settings.with("http.enabled", http).with("http.port", "0");
            Path next = Files.writeString(directory.resolve("next.yml"), settings.yaml());
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            settings.with("http.enabled", "false");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private static void delete(Path directory) {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot remove " + directory, e);
        }
    }

    /** The servers under it. */
    Stack stack() {
        return stack;
    }
}
