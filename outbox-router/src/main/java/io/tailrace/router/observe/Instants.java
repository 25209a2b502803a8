package io.tailrace.router.observe;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Instants at which things began that are not over, in milliseconds since the epoch. Written by one thread, read by any. */
final class Instants {

    private final ConcurrentSkipListMap<Long, Integer> counts = new ConcurrentSkipListMap<>();

    void add(long instant) {
        counts.merge(instant, 1, Integer::sum);
    }

    /** Nothing happens if it is not there. */
    void remove(long instant) {
        counts.computeIfPresent(instant, (at, count) -> count == 1 ? null : count - 1);
    }

    /** The oldest; {@link Long#MAX_VALUE} when there is none. */
    long oldest() {
        Map.Entry<Long, Integer> first = counts.firstEntry();
        return first == null ? Long.MAX_VALUE : first.getKey();
    }

    /** Seconds from the oldest until now; 0 when there is none. */
    static double age(long oldest, long now) {
        return oldest == Long.MAX_VALUE ? 0 : Math.max(0, now - oldest) / 1000.0;
    }
}
