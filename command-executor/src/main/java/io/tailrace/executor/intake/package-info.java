/**
 * Due rows come in: a member of the consumer group reads the topics of its {@code Feed}, those of commands or of a subscription's events, queues
 * each partition's rows by key, hands the head of every queue to a worker, and lets an offset pass only when everything before it has been
 * settled. What is unfinished stands in the note of the commit, for the next owner of the partition; so does whether the last one left in order.
 */
@NullMarked
package io.tailrace.executor.intake;

import org.jspecify.annotations.NullMarked;
