/** When a row is tried again, and what is written down about why it failed. */
@NullMarked
package io.tailrace.contract.retry;

import org.jspecify.annotations.NullMarked;
