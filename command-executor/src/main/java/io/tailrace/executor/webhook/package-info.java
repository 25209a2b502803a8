/**
 * Commands that are HTTP requests: an external handler that is configured and not written. A request goes to an address that was looked at, and
 * to no other.
 */
@NullMarked
package io.tailrace.executor.webhook;

import org.jspecify.annotations.NullMarked;
