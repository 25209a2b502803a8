/**
 * For sceptics of the router: rows that fail, wait, die and are replayed, on a router that is killed on purpose at the moments at which
 * that could lose, double or disorder one, through outages; then everything that was ever delivered is held against the tables.
 *
 * <p>{@link io.tailrace.proof.router.RouterProof} runs it: {@link io.tailrace.proof.router.Strikes} kills, {@link
 * io.tailrace.proof.router.Load} writes rows, {@link io.tailrace.proof.router.Work} runs the commands among them, {@link
 * io.tailrace.proof.router.Watch} reads along, {@link
 * io.tailrace.proof.router.Judge} holds the one against the other.
 */
@NullMarked
package io.tailrace.proof.router;

import org.jspecify.annotations.NullMarked;
