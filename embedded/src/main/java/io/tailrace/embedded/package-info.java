/**
 * A real PostgreSQL and a real Kafka broker, started on this machine without Docker. They are for trying, showing and
 * testing: one node each, on the loopback address, without passwords.
 */
@NullMarked
package io.tailrace.embedded;

import org.jspecify.annotations.NullMarked;
