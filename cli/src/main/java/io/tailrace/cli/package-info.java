/**
 * The {@code tailrace} command: one class per verb, each a thin coat over a typed operation.
 */
@NullMarked
package io.tailrace.cli;

import org.jspecify.annotations.NullMarked;
