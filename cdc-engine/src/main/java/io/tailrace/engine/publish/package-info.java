/**
 * From raw records to the raw topics: Kafka transactions with the position in them, one for each batch, or
 * one for many while there is a backlog.
 *
 * <p>{@link io.tailrace.engine.publish.ResumeCursor} decides what of a batch is new and how far it leads; {@link
 * io.tailrace.engine.publish.BatchPublisher} writes it; {@link io.tailrace.engine.publish.CommittedOffsets} shows Debezium nothing
 * but what Kafka has committed, so that the slot can never run ahead of the topics.
 */
@NullMarked
package io.tailrace.engine.publish;

import org.jspecify.annotations.NullMarked;
