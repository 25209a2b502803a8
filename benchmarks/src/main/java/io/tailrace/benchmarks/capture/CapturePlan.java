package io.tailrace.benchmarks.capture;

import static io.tailrace.benchmarks.harness.Lineup.require;

import io.tailrace.benchmarks.harness.Lineup;
import io.tailrace.benchmarks.harness.Shape;
import java.util.List;

/**
 * What is run.
 *
 * @param lineup who is measured
 * @param rows that each contender drains while it is measured
 * @param shapes one after the other
 * @param latencySeconds for which the latency of each is measured, in each run; 0 for not at all
 * @param rowsPerSecond that are written meanwhile
 */
record CapturePlan(Lineup lineup, int rows, List<Shape> shapes, int latencySeconds, int rowsPerSecond) {

    CapturePlan {
        shapes = List.copyOf(shapes);
        require(rows >= 1000 && rows <= 10_000_000, "--rows must be 1000 to 10000000");
        require(latencySeconds >= 0 && latencySeconds <= 600, "--seconds must be 0 to 600");
        require(
                shapes.stream()
                        .allMatch(shape -> rows % shape.rowsPerTransaction() == 0
                                && lineup.warmRows() % shape.rowsPerTransaction() == 0),
                "--rows and --warm-up must be whole hundreds");
    }
}
