package io.tailrace.router.observe;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * Rows of each source that are committed and captured, and that the router has neither delivered nor put on a lane nor parked. Written
 * by one thread, read by any. Not known, and so NaN, until it was looked once.
 */
public final class PendingRows {

    /** Of {@link Backlog#oldestMs()}: no row is pending. */
    private static final long NONE = Long.MAX_VALUE;

    /**
     * What waits.
     *
     * @param rows how many
     * @param oldestMs when the oldest of them was committed, in milliseconds since the epoch
     */
    public record Backlog(long rows, long oldestMs) {

        private static final Backlog EMPTY = new Backlog(0, NONE);

        /** Both together. */
        public Backlog plus(Backlog other) {
            return new Backlog(rows + other.rows, Math.min(oldestMs, other.oldestMs));
        }
    }

    private static final class Seen {
        private volatile Backlog backlog = Backlog.EMPTY;
        private volatile boolean known;
    }

    /** By {@code ce_source}. */
    private final Map<String, Seen> sources = new HashMap<>();

    /**
     * Registers its meters.
     *
     * @param names of the sources, by {@code ce_source}
     */
    public PendingRows(MeterRegistry registry, InstantSource clock, Map<String, String> names) {
        names.forEach((ceSource, name) -> {
            Seen seen = new Seen();
            sources.put(ceSource, seen);
            Gauge.builder("tailrace.pending.rows", seen, each -> each.known ? each.backlog.rows() : Double.NaN)
                    .description("Captured rows that the router has neither delivered nor put aside")
                    .tag("source", name)
                    .strongReference(true)
                    .register(registry);
            Gauge.builder("tailrace.oldest.pending.age", seen, each -> age(each, clock.millis()))
                    .description("Since the oldest of these rows was committed")
                    .tag("source", name)
                    .baseUnit("seconds")
                    .strongReference(true)
                    .register(registry);
        });
    }

    /** What a look has seen, by {@code ce_source}; a source that is not in it has nothing that waits. */
    public void saw(Map<String, Backlog> backlogs) {
        sources.forEach((source, seen) -> {
            seen.backlog = backlogs.getOrDefault(source, Backlog.EMPTY);
            seen.known = true;
        });
    }

    /** It cannot be looked. What was seen to wait waits on and grows older; where nothing was, nobody knows. */
    public void sawNothing() {
        sources.values().stream()
                .filter(seen -> seen.backlog.oldestMs() == NONE)
                .forEach(seen -> seen.known = false);
    }

    private static double age(Seen seen, long now) {
        return seen.known ? Instants.age(seen.backlog.oldestMs(), now) : Double.NaN;
    }
}
