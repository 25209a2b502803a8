/**
 * What all side-by-side runs share: the servers and their tables, the rows, the contenders' JVMs, who takes part and in which order,
 * how a latency is measured, and the figures that reports are made of. It measures nothing of a contender from outside but the moment
 * at which a reader sees a row.
 */
@NullMarked
package io.tailrace.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
