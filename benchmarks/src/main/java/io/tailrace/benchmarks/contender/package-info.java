/**
 * The other side of a run: one contender in a JVM of its own, which carries rows from a slot to Kafka and measures what that took.
 */
@NullMarked
package io.tailrace.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
