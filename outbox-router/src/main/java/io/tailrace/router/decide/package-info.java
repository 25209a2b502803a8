/**
 * The second step of a row in the router: what is to become of it. {@link io.tailrace.router.decide.Decider} answers with a
 * {@link io.tailrace.router.decide.Decision} from the row, the routes, the known state of the destinations, the clock and one draw
 * of chance; it does nothing itself and remembers nothing. {@link io.tailrace.router.decide.FailureClass} is the one table of what a
 * failure means.
 */
@NullMarked
package io.tailrace.router.decide;

import org.jspecify.annotations.NullMarked;
