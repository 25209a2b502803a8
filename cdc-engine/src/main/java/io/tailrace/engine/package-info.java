/**
 * The first step of a row: from the write-ahead log of its database into the raw topics.
 */
@NullMarked
package io.tailrace.engine;

import org.jspecify.annotations.NullMarked;
