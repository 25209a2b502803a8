/** {@code run profile}: where the processor time of a drain went, out of its flight recording. */
@NullMarked
package io.tailrace.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
