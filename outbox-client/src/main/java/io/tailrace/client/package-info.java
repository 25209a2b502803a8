/**
 * The application's side: rows of the outbox and of commands, written over the connection the application already holds,
 * so that they stand or fall with its own transaction.
 */
@NullMarked
package io.tailrace.client;

import org.jspecify.annotations.NullMarked;
