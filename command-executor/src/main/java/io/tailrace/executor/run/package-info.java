/**
 * A worker's way with one due row: claim it, run its handler in the claim's transaction behind a savepoint, and stamp what became of it
 * in that same transaction. What is to become of it is decided purely; the acting class follows the decision.
 *
 * <p>{@link io.tailrace.executor.run.RowRunner} is the way; {@code InARow} takes it for rows of one key one after the other, {@code Suspicion}
 * stamps a row before it if its partition's last owner may have died of it, and {@code ExternalRun} leaves the transaction before the
 * handler begins. {@code HandlerRun} calls a handler through its {@code Stages}; {@code SingleRun} does it for one row that no worker has.
 */
@NullMarked
package io.tailrace.executor.run;

import org.jspecify.annotations.NullMarked;
