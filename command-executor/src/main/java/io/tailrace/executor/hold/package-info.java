/**
 * Names whose commands, or whose events of a subscription, do not run for now: paused by an operator, broken, or without a handler. What is held
 * says the database, so that all workers agree and a restart forgets nothing; here it is remembered, watched, and taken back when its time has come.
 *
 * <p>{@link io.tailrace.executor.hold.Holds} is all of it, and {@link io.tailrace.executor.hold.Gate} what a claim asks of it. Beside it: when a
 * {@code Breaker} opens, what was {@code Learnt} and is to be written down, how long one that was {@code LetGo} waits until it is tried again, and
 * since when the watch is {@code Failing}.
 */
@NullMarked
package io.tailrace.executor.hold;

import org.jspecify.annotations.NullMarked;
