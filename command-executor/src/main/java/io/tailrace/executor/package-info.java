/**
 * The last step of a command, and of an event for each subscription: claimed, run and stamped in one transaction of its own database. A row
 * that is due comes in through {@code intake}, is claimed by {@code claim}, passes the gate of {@code hold}, is run by {@code run} with a
 * handler of {@code handler} or {@code webhook}, and what became of it goes back through {@code settle}; {@code scrub} takes secrets out of
 * rows that are done. This package puts them together, once for the commands and once for each subscription, and has the fast path of
 * events past all of that.
 */
@NullMarked
package io.tailrace.executor;

import org.jspecify.annotations.NullMarked;
