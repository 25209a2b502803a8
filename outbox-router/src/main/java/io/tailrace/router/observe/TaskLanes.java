package io.tailrace.router.observe;

import io.micrometer.core.instrument.Timer;
import io.tailrace.router.lane.Lane;
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
    private final Instants since = new Instants();

    TaskLanes(Timer blocked) {
        this.blocked = blocked;
    }

    /** A lane that stood in the store already. */
    public void found(Lane lane) {
        keys.incrementAndGet();
        rows.addAndGet(lane.rows());
        bytes.addAndGet(lane.bytes());
        since.add(lane.since());
    }

    /** There are more than were looked at, since reading them all would take its time: estimates. */
    public void foundMore(long keysInAll, long rowsInAll) {
        keys.set(Math.max(keys.get(), keysInAll));
        rows.set(Math.max(rows.get(), rowsInAll));
    }

    @Override
    public void blocked(LaneKey key, long from) {
        keys.incrementAndGet();
        since.add(from);
    }

    @Override
    public void flowing(LaneKey key, long from, long now) {
        keys.decrementAndGet();
        since.remove(from);
        blocked.record(Duration.ofMillis(Math.max(0, now - from)));
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

    long oldest() {
        return since.oldest();
    }

    long bytes() {
        return Math.max(0, bytes.get());
    }
}
