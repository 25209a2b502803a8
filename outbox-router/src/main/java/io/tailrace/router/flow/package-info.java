/**
 * The way of a row through the router, from its topic to the next. What is decoded is decided, and what is decided is planned whole, as
 * a {@link io.tailrace.router.flow.Deed}; {@link io.tailrace.router.flow.Router}, which takes records and ticks, does it.
 * {@link io.tailrace.router.flow.EventFlow} plans for the router's own rows, {@link io.tailrace.router.flow.CommandFlow} for commands
 * until they are due, {@link io.tailrace.router.flow.SubscriptionFlow} for rows that executors answer for. An event that is not
 * delivered has one of the {@link io.tailrace.router.flow.Endings}. Still no Kafka: records leave through a port, state lies behind
 * small interfaces.
 */
@NullMarked
package io.tailrace.router.flow;

import org.jspecify.annotations.NullMarked;
