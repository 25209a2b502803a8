package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is run.
 *
 * @param rows that each contender drains while it is measured
 * @param warmRows that it drains before
 * @param runs of each contender, in turn
 * @param shapes one after the other
 * @param contenders in the order of the first run
 * @param latencySeconds for which the latency of each is measured, in each run; 0 for not at all
 * @param rowsPerSecond that are written meanwhile
 * @param heap of a contender's JVM, as in {@code -Xmx}
 * @param java further options of each contender's JVM
 * @param settings of contenders that differ from what is usual
 * @param recordings where to put a flight recording of each drain
 */
record CapturePlan(
        int rows,
        int warmRows,
        int runs,
        List<Shape> shapes,
        List<Contender> contenders,
        int latencySeconds,
        int rowsPerSecond,
        String heap,
        List<String> java,
        Map<Contender, Map<String, String>> settings,
        Optional<Path> recordings) {

    CapturePlan {
        shapes = List.copyOf(shapes);
        contenders = List.copyOf(contenders);
        java = List.copyOf(java);
        settings = Map.copyOf(settings);
        require(rows >= 1000 && rows <= 10_000_000, "--rows must be 1000 to 10000000");
        require(warmRows >= 1000 && warmRows <= 10_000_000, "--warm-up must be 1000 to 10000000");
        require(runs >= 1 && runs <= 100, "--runs must be 1 to 100");
        require(latencySeconds >= 0 && latencySeconds <= 600, "--seconds must be 0 to 600");
        require(
                shapes.stream()
                        .allMatch(shape ->
                                rows % shape.rowsPerTransaction() == 0 && warmRows % shape.rowsPerTransaction() == 0),
                "--rows and --warm-up must be whole hundreds");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** Of each contender's JVM. */
    List<String> jvmOptions() {
        return Stream.concat(Stream.of("-Xmx" + heap), java.stream()).toList();
    }

    /** The contenders as a run takes them: each run begins with another one, so that none is always first. */
    List<Contender> inOrderOf(int run) {
        int first = run % contenders.size();
        return IntStream.range(0, contenders.size())
                .mapToObj(i -> contenders.get((first + i) % contenders.size()))
                .toList();
    }
}
