/**
 * {@code run latency}: how long after its commit a row is where its readers are, all the way; and how late a command is that is due.
 */
@NullMarked
package io.tailrace.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
