/** What is counted and timed on the way: every meter of the executor has its name here and nowhere else. */
@NullMarked
package io.tailrace.executor.metric;

import org.jspecify.annotations.NullMarked;
