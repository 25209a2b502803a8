/**
 * The first step of a row: from the write-ahead log of its database into the raw topics, exactly once.
 *
 * <p>{@link io.tailrace.engine.CdcEngine} supervises: it waits for the lease of the source ({@code source}), and while it holds it
 * runs Debezium, from which it takes decoded changes ({@code log}), which are mapped to raw records ({@code capture}) and written in
 * Kafka transactions together with the position that they lead to ({@code publish}). What fails ends the run; the next one begins at the position in Kafka.
 */
@NullMarked
package io.tailrace.engine;

import org.jspecify.annotations.NullMarked;
