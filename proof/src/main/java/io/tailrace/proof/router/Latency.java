package io.tailrace.proof.router;

import java.util.Collection;

/**
 * From a commit in PostgreSQL until a reader of committed records has the row, p99 over all other keys.
 *
 * @param beforeMs while no key is blocked
 * @param duringMs while a hot key is
 * @param wasBlocked whether it was, all the while
 */
record Latency(double beforeMs, double duringMs, boolean wasBlocked) {

    /** Most by which a blocked key may slow down the others, on a machine that has other things to do, too. */
    static final double MOST_TIMES = 5;

    /** The same where everything is fast. */
    static final double MOST_MORE_MS = 1_000;

    /** Whether other keys have flowed on: they took at most {@link #MOST_TIMES} as long, or {@link #MOST_MORE_MS} longer. */
    boolean isFlat() {
        return duringMs <= Math.max(MOST_TIMES * beforeMs, beforeMs + MOST_MORE_MS);
    }

    /** @param nanos at least one */
    static double p99Ms(Collection<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        long p99 = sorted[Math.min(sorted.length - 1, (int) Math.ceil(sorted.length * 0.99) - 1)];
        return Math.round(p99 / 1e5) / 10.0;
    }
}
