package io.tailrace.benchmarks.route;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;

/**
 * One drain of one contender.
 *
 * @param run counted from 1
 */
record RouteTrial(Contender contender, int run, Measured drain) {}
