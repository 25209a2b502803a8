/**
 * What every part that talks to Kafka shares: the translation of headers, client settings that keep the promises, the topics as they
 * must be, reading a compacted topic to its end, and where a group begins to read.
 */
@NullMarked
package io.tailrace.broker;

import org.jspecify.annotations.NullMarked;
