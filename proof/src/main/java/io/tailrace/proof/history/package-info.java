/**
 * The checker of histories: what was committed, against everything that a reader of committed records has seen of it, through retries,
 * dead letters and replays. Pure; knows no broker and no database.
 */
@NullMarked
package io.tailrace.proof.history;

import org.jspecify.annotations.NullMarked;
