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
