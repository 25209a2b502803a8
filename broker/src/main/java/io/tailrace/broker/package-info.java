/**
 * What every part that talks to Kafka shares: the translation of headers, client settings that keep the promises, the topics as they
 * must be, reading a compacted topic to its end, where a group begins to read, and what an executor commits beside its offsets.
 */
@NullMarked
package io.tailrace.broker;

import org.jspecify.annotations.NullMarked;
