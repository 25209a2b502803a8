/** {@code run route}: how fast, how cheaply and in how little memory a backlog of raw events reaches its destination. */
@NullMarked
package io.tailrace.benchmarks.route;

import org.jspecify.annotations.NullMarked;
