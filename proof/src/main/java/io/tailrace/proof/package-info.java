/**
 * For sceptics: the engine is killed on purpose, again and again, at the moments at which a crash could lose or double a row, under
 * writers whose transactions overlap; then every row in the tables is counted against every record in the topics.
 *
 * <p>{@link io.tailrace.proof.EngineProof} runs it. Writers are in {@code load}, what runs in a JVM of its own in {@code child}, the
 * counting in {@code count}; {@code router} and {@code commands} prove what comes after it. Everything is real: PostgreSQL with {@code fsync}, a Kafka broker, processes and signals.
 */
@NullMarked
package io.tailrace.proof;

import org.jspecify.annotations.NullMarked;
