/**
 * The tables, walked from page to page: what is overdue is counted and woken, what is done is deleted. No index is kept for what is looked
 * for once in a quarter of an hour; instead each statement reads a piece of a table and touches a thousand rows at most, with a breath
 * after it.
 */
@NullMarked
package io.tailrace.operations.sweep;

import org.jspecify.annotations.NullMarked;
