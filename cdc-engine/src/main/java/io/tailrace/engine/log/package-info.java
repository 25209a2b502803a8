/**
 * The reading of the log. {@link io.tailrace.engine.log.LogStream} runs Debezium, a tap on its stream takes each decoded change into a
 * queue, and a {@link io.tailrace.engine.log.ChangeSink} is handed what the queue holds. Only here is Debezium known.
 */
@NullMarked
package io.tailrace.engine.log;

import org.jspecify.annotations.NullMarked;
