/**
 * The last step of a command: claimed, run and stamped in one transaction of its own database.
 */
@NullMarked
package io.tailrace.executor;

import org.jspecify.annotations.NullMarked;
