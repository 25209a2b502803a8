/**
 * The only package that knows Kafka Streams: what the flows need of it, and no rule of theirs.
 * {@link io.tailrace.router.topology.RouterTopology} is the whole wiring; the stores here are thin coats over its stores; the rest
 * keeps it running: first offsets, destinations, outages.
 */
@NullMarked
package io.tailrace.router.topology;

import org.jspecify.annotations.NullMarked;
