package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Contender.Outbox;
import io.tailrace.benchmarks.contender.ContenderProcess;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.embedded.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs a plan. For each shape: rows are written once, then every contender drains them, in turn and so many times; then, again in turn,
 * each follows a writer. Never two contenders at a time.
 */
final class CaptureRun implements AutoCloseable {

    private final CapturePlan plan;
    private final Consumer<String> progress;
    private final Path work;
    private final Map<Outbox, Ground> grounds = new EnumMap<>(Outbox.class);
    private final EmbeddedBroker broker;
    private final KafkaTopics topics;
    private int started;

    private CaptureRun(CapturePlan plan, Consumer<String> progress, Path work) {
        this.plan = plan;
        this.progress = progress;
        this.work = work;
        // The data of a topic that was removed leave the disk at once, not in the middle of another's drain.
        this.broker = EmbeddedBroker.builder()
                .setting("log.segment.delete.delay.ms", "0")
                .start();
        this.topics = new KafkaTopics(broker.bootstrapServers());
    }

    /**
     * Runs it all.
     *
     * @param progress is told what begins
     * @throws IllegalStateException when a contender fails or does not deliver every row
     */
    static CaptureReport of(CapturePlan plan, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        Path work = Files.createTempDirectory("tailrace-benchmark-");
        try (CaptureRun run = new CaptureRun(plan, progress, work)) {
            return run.run();
        }
    }

    private CaptureReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        String postgres = "";
        for (Contender contender : plan.contenders()) {
            if (!grounds.containsKey(contender.outbox())) {
                progress.accept("starting a PostgreSQL with a table as %s reads it".formatted(contender.text()));
                grounds.put(contender.outbox(), Ground.start(contender.outbox()));
            }
            postgres = ground(contender).version();
        }
        List<Trial> trials = new ArrayList<>();
        for (Shape shape : plan.shapes()) {
            drains(shape, trials);
            if (plan.latencySeconds() > 0) {
                latencies(shape, trials);
            }
        }
        return CaptureReport.of(plan, postgres, trials);
    }

    private void drains(Shape shape, List<Trial> trials)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        for (Ground ground : grounds.values()) {
            progress.accept("writing %d + %d rows, %d to a transaction"
                    .formatted(plan.warmRows(), plan.rows(), shape.rowsPerTransaction()));
            ground.fill(plan, shape);
        }
        for (int run = 0; run < plan.runs(); run++) {
            for (Contender contender : plan.inOrderOf(run)) {
                Measured measured = drain(contender, shape, run);
                progress.accept(
                        "%s, %d to a transaction, run %d of %d: %.0f rows/s, %.1f µs of CPU a row (%s), %.0f MiB"
                                .formatted(
                                        contender.text(),
                                        shape.rowsPerTransaction(),
                                        run + 1,
                                        plan.runs(),
                                        measured.rowsPerSecond(),
                                        measured.cpuMicrosPerRow(),
                                        neighbours(measured),
                                        measured.maxHeapMiB()));
                trials.add(new Trial(contender, shape, run + 1, Optional.of(measured), Optional.empty()));
            }
        }
    }

    private static String neighbours(Measured measured) {
        return measured.cpuMicrosPerRowByNeighbour().entrySet().stream()
                .map(one -> "%s %.1f".formatted(one.getKey(), one.getValue()))
                .collect(Collectors.joining(", "));
    }

    private Measured drain(Contender contender, Shape shape, int run)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        Ground ground = prepare(contender);
        List<String> options = new ArrayList<>(plan.jvmOptions());
        plan.recordings().ifPresent(directory -> {
            Path file = directory.resolve("%s-%s-%d.jfr".formatted(contender.text(), shape.text(), run + 1));
            options.add("-XX:StartFlightRecording=settings=profile,filename=" + file.toAbsolutePath());
        });
        Measured measured;
        try (ContenderJvm jvm = start(contender, ground, options, List.of("--rows", Integer.toString(plan.rows())))) {
            measured = Measured.of(jvm.await(ContenderProcess.RESULT));
            jvm.awaitEnd();
        }
        if (measured.rows() < plan.rows() / 2) {
            throw new IllegalStateException("%s delivered most of %d rows at once: too few to measure"
                    .formatted(contender.text(), plan.rows()));
        }
        Optional<String> topic = contender.topic(Site.BENCH);
        if (topic.isPresent()) {
            check(contender, topics.read(topic.get(), plan.rows()));
        }
        return measured;
    }

    private void check(Contender contender, KafkaTopics.Delivery delivery) {
        if (delivery.distinct() != plan.rows() || (contender.isExactlyOnce() && delivery.repeated() > 0)) {
            throw new IllegalStateException("%s delivered %d rows of %d, and %d more than once"
                    .formatted(contender.text(), delivery.distinct(), plan.rows(), delivery.repeated()));
        }
    }

    private void latencies(Shape shape, List<Trial> trials)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        for (int run = 0; run < plan.runs(); run++) {
            for (Contender contender : plan.inOrderOf(run)) {
                Ground ground = ground(contender);
                ground.bench().beginHere();
                var unused = prepare(contender);
                Path arrivals = work.resolve("arrivals-" + started);
                try (ContenderJvm jvm =
                        start(contender, ground, plan.jvmOptions(), List.of("--arrivals", arrivals.toString()))) {
                    Latency latency = new LatencyTrial(plan, shape, topics).of(contender, ground, jvm, arrivals);
                    progress.accept("%s, %d to a transaction, run %d of %d: p50 %.1f ms, p99 %.1f ms at %.0f rows/s"
                            .formatted(
                                    contender.text(),
                                    shape.rowsPerTransaction(),
                                    run + 1,
                                    plan.runs(),
                                    latency.p50Millis(),
                                    latency.p99Millis(),
                                    latency.rowsPerSecond()));
                    trials.add(new Trial(contender, shape, run + 1, Optional.empty(), Optional.of(latency)));
                }
            }
        }
    }

    private Ground prepare(Contender contender) throws SQLException, InterruptedException, ExecutionException {
        Ground ground = ground(contender);
        ground.makeSlots();
        topics.reset(
                contender.makesItsTopics()
                        ? List.of()
                        : Stream.of(Site.WARM, Site.BENCH)
                                .flatMap(site -> contender.topic(site).stream())
                                .toList());
        return ground;
    }

    private Ground ground(Contender contender) {
        return Objects.requireNonNull(grounds.get(contender.outbox()));
    }

    private ContenderJvm start(Contender contender, Ground ground, List<String> options, List<String> more)
            throws IOException, SQLException {
        List<String> arguments = new ArrayList<>(List.of(
                "--contender", contender.text(),
                "--postmaster", Long.toString(ground.postmaster()),
                "--postgres-port", Integer.toString(ground.port()),
                "--kafka", broker.bootstrapServers(),
                "--warm-rows", Integer.toString(plan.warmRows())));
        plan.settings()
                .getOrDefault(contender, Map.of())
                .forEach((key, value) -> arguments.add("--set=" + key + "=" + value));
        arguments.addAll(more);
        return ContenderJvm.start(options, arguments, work.resolve("contender-%d.log".formatted(++started)));
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
            progress.accept("cannot remove " + work + ": " + e.getMessage());
        }
    }
}
