/**
 * For sceptics of the executor: commands that fail, wait, are put off, die and are replayed, on executors that are killed on purpose at the
 * moments at which that could lose, double or disorder an effect, through outages; then the effects are held against the commands.
 *
 * <p>{@link io.tailrace.proof.commands.CommandsProof} runs it: {@link io.tailrace.proof.commands.Strikes} kills, {@link
 * io.tailrace.proof.commands.Load} schedules, the handler in the children has its effects in a table, {@link
 * io.tailrace.proof.commands.Ledger} reads the tables and {@link io.tailrace.proof.commands.Written} the topics, {@link
 * io.tailrace.proof.commands.Judge} holds the one against the other.
 */
@NullMarked
package io.tailrace.proof.commands;

import org.jspecify.annotations.NullMarked;
