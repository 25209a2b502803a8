/**
 * The pipeline as a whole, on real parts, and the rules that hold its modules apart.
 */
@NullMarked
package io.tailrace.system;

import org.jspecify.annotations.NullMarked;
