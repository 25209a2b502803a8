@NullMarked
package io.tailrace.proof.router;

import org.jspecify.annotations.NullMarked;
