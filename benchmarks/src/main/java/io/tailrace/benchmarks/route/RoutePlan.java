package io.tailrace.benchmarks.route;

import static io.tailrace.benchmarks.harness.Lineup.require;

import io.tailrace.benchmarks.harness.Lineup;
import io.tailrace.benchmarks.harness.Shape;

/**
 * What is run.
 *
 * @param lineup who is measured
 * @param rows that each contender drains while it is measured
 */
record RoutePlan(Lineup lineup, int rows) {

    /** How rows were committed: as a batch writes them, which is where the peer is best. */
    static final Shape SHAPE = Shape.HUNDRED;

    RoutePlan {
        require(rows >= 1000 && rows <= 10_000_000, "--rows must be 1000 to 10000000");
        require(
                rows % SHAPE.rowsPerTransaction() == 0 && lineup.warmRows() % SHAPE.rowsPerTransaction() == 0,
                "--rows and --warm-up must be whole hundreds");
    }
}
