/**
 * Due commands come in: a member of the consumer group reads the due and the redelivery topic, queues each partition's rows by key,
 * hands the head of every queue to a worker, and lets an offset pass only when everything before it has been settled.
 */
@NullMarked
package io.tailrace.executor.intake;

import org.jspecify.annotations.NullMarked;
