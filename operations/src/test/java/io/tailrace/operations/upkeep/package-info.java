@NullMarked
package io.tailrace.operations.upkeep;

import org.jspecify.annotations.NullMarked;
