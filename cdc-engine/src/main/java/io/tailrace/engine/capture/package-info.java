/**
 * From a change to a raw record: what Debezium read from the log becomes what the router will read from Kafka.
 *
 * <p>{@link io.tailrace.engine.capture.LogStream} runs Debezium, a tap on its stream takes each decoded change into a queue, and {@link
 * io.tailrace.engine.capture.ChangeMapper} makes records of them.
 *
 * <p>Nothing a row can hold makes this step throw. What cannot be mapped still goes out, marked with the reason, so that it ends as a
 * dead letter with its row id and not as a stalled stream.
 */
@NullMarked
package io.tailrace.engine.capture;

import org.jspecify.annotations.NullMarked;
