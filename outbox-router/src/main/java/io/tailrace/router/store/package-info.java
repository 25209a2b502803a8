/**
 * What waits, as bytes: the layout of the three stores. Values begin with the version of their layout, so that a newer router reads
 * what an older one wrote; keys sort as their contents do. No serialisation framework: these bytes outlive many releases.
 */
@NullMarked
package io.tailrace.router.store;

import org.jspecify.annotations.NullMarked;
