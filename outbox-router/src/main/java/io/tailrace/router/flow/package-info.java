/**
 * The way of a row through the router, from its topic to the next: what is decoded is decided, what is decided is done.
 * {@link io.tailrace.router.flow.Router} takes records and ticks; {@link io.tailrace.router.flow.EventFlow} has the router's own
 * rows, {@link io.tailrace.router.flow.CommandFlow} commands until they are due, {@link io.tailrace.router.flow.SubscriptionFlow}
 * rows that executors answer for. Still no Kafka: records leave through a port, state lies behind small interfaces.
 */
@NullMarked
package io.tailrace.router.flow;

import org.jspecify.annotations.NullMarked;
