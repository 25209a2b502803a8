/**
 * What nobody asks for and somebody has to do: rows that the pipeline seems to have lost are sent again, and what is done or has been dead
 * for long is cleared away. One instance for each source, whichever holds the lock.
 */
@NullMarked
package io.tailrace.operations.upkeep;

import org.jspecify.annotations.NullMarked;
