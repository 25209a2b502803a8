/**
 * The configuration as values that cannot be wrong: every record checks its own ranges, so that a part never starts on nonsense.
 */
@NullMarked
package io.tailrace.contract.config;

import org.jspecify.annotations.NullMarked;
