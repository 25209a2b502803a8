/**
 * Side-by-side runs: what a user would pick instead, and what the ground allows at most, on the same rows on the same machine.
 */
@NullMarked
package io.tailrace.benchmarks;

import org.jspecify.annotations.NullMarked;
