package io.tailrace.router.observe;

import io.micrometer.core.instrument.Timer;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneWatcher;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** What lanes one task has. Written by its stream thread, read by any. */
public final class TaskLanes implements LaneWatcher {

    private final Timer blocked;
    private final AtomicLong keys = new AtomicLong();
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    TaskLanes(Timer blocked) {
        this.blocked = blocked;
    }

    /** What stood in the stores already: estimates, since counting would read them all. */
    public void found(long keysFound, long rowsFound) {
        keys.set(keysFound);
        rows.set(rowsFound);
    }

    @Override
    public void blocked(LaneKey key) {
        keys.incrementAndGet();
    }

    @Override
    public void flowing(LaneKey key, long blockedForMillis) {
        keys.decrementAndGet();
        blocked.record(Duration.ofMillis(Math.max(0, blockedForMillis)));
    }

    @Override
    public void rows(int delta, long bytesDelta) {
        rows.addAndGet(delta);
        bytes.addAndGet(bytesDelta);
    }

    long keys() {
        return Math.max(0, keys.get());
    }

    long rows() {
        return Math.max(0, rows.get());
    }

    long bytes() {
        return Math.max(0, bytes.get());
    }
}
