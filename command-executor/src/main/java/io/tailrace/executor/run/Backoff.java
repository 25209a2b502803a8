package io.tailrace.executor.run;

import java.time.Duration;

/**
 * How long a worker that stepped back waits before it looks at the row again: doubling, without an end.
 *
 * @param first wait
 * @param longest wait
 */
record Backoff(Duration first, Duration longest) {

    /** Another worker has the key; its handler may be quick. */
    static final Backoff BUSY = new Backoff(Duration.ofMillis(5), Duration.ofMillis(250));

    /** A commit becomes visible within milliseconds, or waits for a standby. */
    static final Backoff UNSEEN = new Backoff(Duration.ofMillis(5), Duration.ofSeconds(1));

    /** A connection is replaced at once; a row that ends its connection each time must not do that all day. */
    static final Backoff LOST = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(5));

    /** The other one of two that met is through by then. */
    static final Backoff CONFLICT = new Backoff(Duration.ofMillis(5), Duration.ofMillis(50));

    /** After stepping back for the n-th time in a row, n from 1. */
    Duration after(int times) {
        long doubled = first.toMillis() << Math.min(times - 1, 30);
        return Duration.ofMillis(Math.min(doubled, longest.toMillis()));
    }
}
