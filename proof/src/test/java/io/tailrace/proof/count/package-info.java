@NullMarked
package io.tailrace.proof.count;

import org.jspecify.annotations.NullMarked;
