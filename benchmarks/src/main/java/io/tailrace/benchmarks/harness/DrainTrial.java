package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.ContenderProcess;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.contender.Site;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How fast a contender delivers what waits for it. What it delivered is read to its end: a row that is missing, or one that came twice
 * from a contender that promises once, fails the run.
 *
 * @param arena whose servers are used
 * @param rows that wait
 */
public record DrainTrial(Arena arena, int rows) {

    /**
     * Measures one contender, whose slots, topics and rows are ready.
     *
     * @param recording name of its flight recording, if recordings are wanted
     */
    public Measured of(Contender contender, String recording) throws IOException, SQLException, InterruptedException {
        Measured measured;
        List<String> arguments = List.of("--rows", Integer.toString(rows));
        try (ContenderJvm jvm = arena.start(contender, Optional.of(recording), arguments)) {
            measured = Measured.of(jvm.await(ContenderProcess.RESULT));
            jvm.awaitEnd();
        }
        if (measured.rows() < rows / 2) {
            throw new IllegalStateException(
                    "%s delivered most of %d rows at once: too few to measure".formatted(contender.text(), rows));
        }
        Optional<String> topic = contender.topic(Site.BENCH);
        if (topic.isPresent()) {
            check(contender, arena.topics().read(topic.get(), rows));
        }
        return measured;
    }

    private void check(Contender contender, KafkaTopics.Delivery delivery) {
        if (delivery.distinct() != rows || (contender.isExactlyOnce() && delivery.repeated() > 0)) {
            throw new IllegalStateException("%s delivered %d rows of %d, and %d more than once"
                    .formatted(contender.text(), delivery.distinct(), rows, delivery.repeated()));
        }
    }

    /** For people who wait. */
    public static String line(Measured measured) {
        String neighbours = measured.cpuMicrosPerRowByNeighbour().entrySet().stream()
                .map(one -> "%s %.1f".formatted(one.getKey(), one.getValue()))
                .collect(Collectors.joining(", "));
        return "%.0f rows/s, %.1f µs of CPU a row (%s), %.0f MiB"
                .formatted(measured.rowsPerSecond(), measured.cpuMicrosPerRow(), neighbours, measured.maxHeapMiB());
    }
}
