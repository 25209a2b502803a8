/**
 * {@code run capture}: how fast, how cheaply and how soon committed rows reach Kafka.
 */
@NullMarked
package io.tailrace.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
