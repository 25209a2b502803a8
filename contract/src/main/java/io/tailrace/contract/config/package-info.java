/**
 * The configuration as values that cannot be wrong: every record checks its own ranges, so that a part never starts on nonsense.
 *
 * <p>{@code Keys} is the one list of keys, with form, range and default of each. {@code ConfigReader} goes over the tree of a file,
 * section by section, taking what the keys name and reporting all that is wrong at once; {@code ConfigReference} prints the same
 * list as the reference page.
 */
@NullMarked
package io.tailrace.contract.config;

import org.jspecify.annotations.NullMarked;
