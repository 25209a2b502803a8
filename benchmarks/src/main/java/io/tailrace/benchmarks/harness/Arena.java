package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Contender.Outbox;
import io.tailrace.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The servers of a run, and the contenders in front of them: a broker in this JVM, a PostgreSQL for each kind of outbox, started when it
 * is first asked for. Not thread-safe.
 */
public final class Arena implements AutoCloseable {

    private final Lineup lineup;
    private final Consumer<String> progress;
    private final Path work;
    private final Map<Outbox, Ground> grounds = new EnumMap<>(Outbox.class);
    private final EmbeddedBroker broker;
    private final KafkaTopics topics;
    private int started;

    private Arena(Lineup lineup, Consumer<String> progress, Path work) {
        this.lineup = lineup;
        this.progress = progress;
        this.work = work;
        // The data of a topic that was removed leave the disk at once, not in the middle of another's drain.
        this.broker = EmbeddedBroker.builder()
                .setting("log.segment.delete.delay.ms", "0")
                .start();
        this.topics = new KafkaTopics(broker.bootstrapServers());
    }

    /**
     * Starts the broker.
     *
     * @param progress is told what begins
     */
    public static Arena open(Lineup lineup, Consumer<String> progress) throws IOException {
        return new Arena(lineup, progress, Files.createTempDirectory("tailrace-benchmark-"));
    }

    /** The topics of the run. */
    public KafkaTopics topics() {
        return topics;
    }

    /** Says something to whoever waits. */
    public void tell(String what) {
        progress.accept(what);
    }

    /** The server with the outbox of the kind that a contender reads. */
    public Ground ground(Contender contender) throws SQLException {
        Ground known = grounds.get(contender.outbox());
        if (known != null) {
            return known;
        }
        tell("starting a PostgreSQL with a table as %s reads it".formatted(contender.text()));
        Ground ground = Ground.start(contender.outbox());
        grounds.put(contender.outbox(), ground);
        return ground;
    }

    /** All servers that were asked for. */
    public Collection<Ground> grounds() {
        return List.copyOf(grounds.values());
    }

    /** A file that lives as long as this. */
    public Path file(String name) {
        return work.resolve(name);
    }

    /**
     * Starts a contender.
     *
     * @param recording name of its flight recording, if recordings are wanted
     * @param more arguments
     */
    public ContenderJvm start(Contender contender, Optional<String> recording, List<String> more)
            throws IOException, SQLException {
        Ground ground = ground(contender);
        List<String> options = new ArrayList<>(lineup.jvmOptions());
        if (recording.isPresent() && lineup.recordings().isPresent()) {
            Path file = lineup.recordings().get().resolve(recording.get() + ".jfr");
            options.add("-XX:StartFlightRecording=settings=profile,filename=" + file.toAbsolutePath());
        }
        List<String> arguments = new ArrayList<>(List.of(
                "--contender", contender.text(),
                "--postmaster", Long.toString(ground.postmaster()),
                "--postgres-port", Integer.toString(ground.port()),
                "--kafka", broker.bootstrapServers(),
                "--warm-rows", Integer.toString(lineup.warmRows())));
        lineup.settings()
                .getOrDefault(contender, Map.of())
                .forEach((key, value) -> arguments.add("--set=" + key + "=" + value));
        arguments.addAll(more);
        return ContenderJvm.start(options, arguments, file("contender-%d.log".formatted(++started)));
    }

    @Override
    public void close() {
        topics.close();
        broker.close();
        grounds.values().forEach(Ground::close);
        try (Stream<Path> files = Files.list(work)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(work);
        } catch (IOException e) {
            tell("cannot remove " + work + ": " + e.getMessage());
        }
    }
}
