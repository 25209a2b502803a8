/**
 * What is remembered of rows that have gone, for as long as an old word about them may still come: the turns at which rows were done
 * ({@link io.tailrace.router.past.Finished}), and what a key has delivered since one of its rows died ({@link
 * io.tailrace.router.past.Passed}). Kept in a store of its own, in the transaction of what it tells of: a restart forgets nothing.
 */
@NullMarked
package io.tailrace.router.past;

import org.jspecify.annotations.NullMarked;
