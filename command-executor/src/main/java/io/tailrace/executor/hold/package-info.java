/**
 * Names whose commands, or whose events of a subscription, do not run for now: paused by an operator, broken, or without a handler. What is held
 * says the database, so that all workers agree and a restart forgets nothing; here it is remembered, watched, and taken back when its time has come.
 */
@NullMarked
package io.tailrace.executor.hold;

import org.jspecify.annotations.NullMarked;
