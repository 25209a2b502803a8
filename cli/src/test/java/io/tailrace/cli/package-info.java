/** The command line in this JVM, and what it prints. */
@NullMarked
package io.tailrace.cli;

import org.jspecify.annotations.NullMarked;
