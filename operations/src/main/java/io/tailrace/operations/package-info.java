/**
 * What an operator can ask or change: typed operations behind the verbs of the command line, without a console.
 *
 * <p>{@link io.tailrace.operations.DeadLetters} reads the dead letter topics and brings their rows back
 * ({@code Skips} and {@code Discards} let keys go on without them; {@code LetterTransactions} writes for all three),
 * {@link io.tailrace.operations.Commands} asks about and changes commands through the functions of their database,
 * {@link io.tailrace.operations.Pauses} stops them by name, and
 * {@link io.tailrace.operations.Status} says how far everything has come. Nothing here hands out a payload that was not asked for.
 */
@NullMarked
package io.tailrace.operations;

import org.jspecify.annotations.NullMarked;
