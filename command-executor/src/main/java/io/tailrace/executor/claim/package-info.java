/**
 * The only SQL of the executor. The row decides whether a command runs: a claim takes the lock of its key and of itself, reads
 * where it stands, and every stamp is guarded by what the claim read. Beside it the table of which failures use an attempt.
 */
@NullMarked
package io.tailrace.executor.claim;

import org.jspecify.annotations.NullMarked;
