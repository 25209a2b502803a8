/**
 * The way back after a refusal that waiting does not mend: the slot is made anew, what the raw topics lack is published from the
 * tables, and the position begins where the new slot begins.
 *
 * <p>{@link io.tailrace.engine.recover.Recovery} goes through the steps; {@link io.tailrace.engine.recover.RawMemory} is what the raw
 * topics hold; the comparing is done by the database ({@link io.tailrace.engine.source.Comparison}).
 */
@NullMarked
package io.tailrace.engine.recover;

import org.jspecify.annotations.NullMarked;
