/**
 * The first step of a row in the router: from the bytes of a record to its meaning. Whatever the bytes are, there is an answer:
 * {@link io.tailrace.router.decode.Decoded}, or {@link io.tailrace.router.decode.Malformed} with the reason. Nothing here throws,
 * and nothing here knows Kafka.
 */
@NullMarked
package io.tailrace.router.decode;

import org.jspecify.annotations.NullMarked;
