/** What a record is, whatever carries it: its kind, its place among the rows of its key, its origin, the reason it was parked for. */
@NullMarked
package io.tailrace.contract.record;

import org.jspecify.annotations.NullMarked;
