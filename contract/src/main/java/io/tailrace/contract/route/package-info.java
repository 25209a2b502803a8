/**
 * The language of routes: which names a rule takes ({@link io.tailrace.contract.route.RoutePattern}), which topic it names
 * ({@link io.tailrace.contract.route.TopicTemplate}), by what its events are spread over partitions, and what a dead letter does to its
 * key. The configuration is checked with it before anything runs; the router decides by it.
 */
@NullMarked
package io.tailrace.contract.route;

import org.jspecify.annotations.NullMarked;
