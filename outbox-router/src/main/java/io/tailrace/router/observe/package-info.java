/** What the router shows of itself: its metrics, under one prefix and in base units. */
@NullMarked
package io.tailrace.router.observe;

import org.jspecify.annotations.NullMarked;
