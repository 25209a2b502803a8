/** Operations on a real PostgreSQL and a real broker. */
@NullMarked
package io.tailrace.operations;

import org.jspecify.annotations.NullMarked;
