package io.tailrace.executor.run;

import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows whose handlers answer again and again that something is unavailable. That uses no attempt, so it has no end of its own, and where it is one
 * row alone no breaker opens: a metric says for how long, by name, and when it is long the log says which row. As far as this process has seen
 * it: a row that has come to another one is forgotten here and counted anew there. Thread-safe.
 */
final class Unavailability {

    private static final Logger LOG = LoggerFactory.getLogger(Unavailability.class);

    /** From then on the log names the row. */
    static final Duration LONG = Duration.ofMinutes(15);

    /** A row that has not come again so long after it was to come is somewhere else. */
    static final Duration LOST = Duration.ofMinutes(5);

    /** More are an outage, and seen by other means. */
    private static final int MOST = 1_000;

    private final ExecutorMetrics metrics;
    private final LongSupplier nanos;
    private final Map<UUID, Row> rows = new ConcurrentHashMap<>();

    /**
     * @param since when it was said first
     * @param next when it is to come again
     */
    private record Row(String name, long since, long next, boolean told) {}

    /** @param nanos a clock that only rises */
    Unavailability(ExecutorMetrics metrics, LongSupplier nanos) {
        this.metrics = metrics;
        this.nanos = nanos;
    }

    /** A handler has said it of this row. */
    void again(UUID id, String name, Duration wait, String because) {
        long now = nanos.getAsLong();
        rows.values().removeIf(row -> isLost(row, now));
        if (rows.size() >= MOST && !rows.containsKey(id)) {
            return;
        }
        metrics.unavailable(name, () -> oldestSeconds(name));
        long next = now + wait.toNanos();
        rows.compute(id, (same, row) -> {
            if (row == null) {
                return new Row(name, now, next, false);
            }
            boolean tell = !row.told() && now - row.since() >= LONG.toNanos();
            if (tell) {
                LOG.warn(
                        "A row cannot be handled and uses no attempt, what is behind it waits: rowId={} name={} minutes={} because={}",
                        id,
                        name,
                        Duration.ofNanos(now - row.since()).toMinutes(),
                        because);
            }
            return new Row(name, row.since(), next, row.told() || tell);
        });
    }

    /** Something else has become of this row. */
    void over(UUID id) {
        Row row = rows.isEmpty() ? null : rows.remove(id);
        if (row != null && row.told()) {
            LOG.info("A row that could not be handled has come to an end: rowId={} name={}", id, row.name());
        }
    }

    private double oldestSeconds(String name) {
        long now = nanos.getAsLong();
        return rows.values().stream()
                        .filter(row -> row.name().equals(name) && !isLost(row, now))
                        .mapToLong(row -> now - row.since())
                        .max()
                        .orElse(0)
                / 1e9;
    }

    private static boolean isLost(Row row, long now) {
        return now - row.next() > LOST.toNanos();
    }
}
