/**
 * The last step of a command: claimed, run and stamped in one transaction of its own database. A row that is due comes in through
 * {@code intake}, is claimed by {@code claim}, run by {@code run} with a handler of {@code handler}, and what became of it goes back
 * through {@code settle}. This package puts them together.
 */
@NullMarked
package io.tailrace.executor;

import org.jspecify.annotations.NullMarked;
