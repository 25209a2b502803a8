/**
 * {@code run capture}: how fast, how cheaply and how soon committed rows reach Kafka.
 *
 * <p>This side owns the servers, writes the rows, starts one contender after the other, counts what each of them delivered, and
 * reports. It measures nothing of a contender from outside but the moment at which a reader sees a row.
 */
@NullMarked
package io.tailrace.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
