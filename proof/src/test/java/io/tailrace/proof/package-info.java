@NullMarked
package io.tailrace.proof;

import org.jspecify.annotations.NullMarked;
