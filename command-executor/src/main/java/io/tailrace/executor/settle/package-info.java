/**
 * What became of a row goes back to the router: an answer on the retry topic for every row that waits or died, and for every row
 * that was released. An offset passes only when the answer is acknowledged.
 */
@NullMarked
package io.tailrace.executor.settle;

import org.jspecify.annotations.NullMarked;
