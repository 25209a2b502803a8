/**
 * A worker's way with one due row: claim it, run its handler in the claim's transaction behind a savepoint, and stamp what became of it
 * in that same transaction. What is to become of it is decided purely; the acting class follows the decision.
 */
@NullMarked
package io.tailrace.executor.run;

import org.jspecify.annotations.NullMarked;
