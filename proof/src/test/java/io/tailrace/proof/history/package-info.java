@NullMarked
package io.tailrace.proof.history;

import org.jspecify.annotations.NullMarked;
