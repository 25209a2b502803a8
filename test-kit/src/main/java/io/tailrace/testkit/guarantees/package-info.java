/**
 * What the pipeline promises, as something to count: what the tables committed against what readers were given. Nothing here
 * uses Tailrace's own code.
 */
@NullMarked
package io.tailrace.testkit.guarantees;

import org.jspecify.annotations.NullMarked;
