/** The writers: overlapping transactions of every kind that PostgreSQL has, each row with a number of its own. */
@NullMarked
package io.tailrace.proof.load;

import org.jspecify.annotations.NullMarked;
