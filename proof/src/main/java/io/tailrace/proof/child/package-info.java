/**
 * What runs in a JVM of its own, to be killed: an engine, its mapping on Debezium's own stream and resume, a broker. Each says on standard
 * output what it has reached and hears on standard input where to stop ({@link io.tailrace.proof.child.Parent}).
 */
@NullMarked
package io.tailrace.proof.child;

import org.jspecify.annotations.NullMarked;
