/**
 * Fixtures for tests on real parts: one PostgreSQL and one broker per test JVM, a fresh database and topic prefix per
 * test, and the means to break things while they run.
 */
@NullMarked
package io.tailrace.testkit;

import org.jspecify.annotations.NullMarked;
