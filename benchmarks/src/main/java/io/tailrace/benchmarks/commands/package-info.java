/**
 * {@code run commands}: how fast commands run, over many keys and in the order of one, and how soon after their insert, beside what a
 * user would pick instead on the same database.
 */
@NullMarked
package io.tailrace.benchmarks.commands;

import org.jspecify.annotations.NullMarked;
