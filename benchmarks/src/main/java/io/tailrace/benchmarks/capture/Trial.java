package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.Shape;
import java.util.Optional;

/**
 * One measurement of one contender: a drain or a latency.
 *
 * @param run counted from 1
 */
record Trial(Contender contender, Shape shape, int run, Optional<Measured> drain, Optional<Latency> latency) {}
