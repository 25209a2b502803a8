/**
 * The last stop of a row that was given up: its dead letter, with everything an operator needs to understand it and to send it on its
 * way again. Nothing is parked without a reason, a trail and a way back; each parking says so once, in one ERROR.
 */
@NullMarked
package io.tailrace.router.deadletter;

import org.jspecify.annotations.NullMarked;
