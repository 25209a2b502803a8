/**
 * From a change to a raw record: what was read from the log becomes what the router will read from Kafka. {@link
 * io.tailrace.engine.capture.ChangeMapper} is the way in.
 *
 * <p>Nothing a row can hold makes this step throw. What cannot be mapped still goes out, marked with the reason, so that it ends as a
 * dead letter with its row id and not as a stalled stream.
 */
@NullMarked
package io.tailrace.engine.capture;

import org.jspecify.annotations.NullMarked;
