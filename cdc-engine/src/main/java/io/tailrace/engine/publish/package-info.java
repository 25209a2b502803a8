/**
 * From raw records to the raw topics: one Kafka transaction for each batch, with the position in it.
 *
 * <p>{@link io.tailrace.engine.publish.ResumeCursor} decides what of a batch is new and how far it leads; {@link
 * io.tailrace.engine.publish.BatchPublisher} writes it; {@link io.tailrace.engine.publish.CommittedOffsets} shows Debezium nothing
 * but what Kafka has committed, so that the slot can never run ahead of the topics.
 */
@NullMarked
package io.tailrace.engine.publish;

import org.jspecify.annotations.NullMarked;
