/**
 * The second step of a row: from the raw topics to where its name sends it, or into waiting, or to the dead letters.
 */
@NullMarked
package io.tailrace.router;

import org.jspecify.annotations.NullMarked;
