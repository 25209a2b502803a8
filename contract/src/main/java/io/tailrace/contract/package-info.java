/**
 * The contract between the parts of Tailrace: what a row is called, where it travels and what its record says.
 *
 * <p>Pure Java. Nothing here knows Kafka, JDBC or a logger; everything else in the tree knows this.
 */
@NullMarked
package io.tailrace.contract;

import org.jspecify.annotations.NullMarked;
