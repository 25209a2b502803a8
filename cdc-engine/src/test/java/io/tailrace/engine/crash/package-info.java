/** The crash loop: an engine is killed again and again under overlapping transactions, and then everything is counted. */
@NullMarked
package io.tailrace.engine.crash;

import org.jspecify.annotations.NullMarked;
