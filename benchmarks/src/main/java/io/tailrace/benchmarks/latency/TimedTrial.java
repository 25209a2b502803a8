package io.tailrace.benchmarks.latency;

import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.latency.LatencyPlan.Subject;

/**
 * One measurement.
 *
 * @param run counted from 1
 */
record TimedTrial(Subject subject, int run, Latency latency) {}
