/** The counting: what is in the tables, what a reader of committed records sees in the topics, and how the two differ. */
@NullMarked
package io.tailrace.proof.count;

import org.jspecify.annotations.NullMarked;
