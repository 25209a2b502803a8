/** The judge of the demo. */
@NullMarked
package io.tailrace.cli.demo;

import org.jspecify.annotations.NullMarked;
