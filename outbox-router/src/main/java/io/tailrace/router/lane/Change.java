package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one lane, collected in memory: reads see what was changed before them, the stores see nothing until {@link #write}
 * hands them all of it. Whatever is thrown before that, the lane is as it was. Lives for one event or one wake, and holds no more rows
 * than its budget lets go. For use by one stream thread.
 */
public final class Change {

    private final Stores stores;
    private final LaneKey key;
    private final long now;
    private final @Nullable Lane before;

    /** The one of this lane that is among the {@link Wakes}; {@link Lane#NEVER} if none is. */
    private final long wake;

    /** Rows that come, move or go. */
    private final NavigableMap<Place, Optional<LaneRow>> rows = new TreeMap<>();

    private Heard heard = Heard.NOTHING_TO_DO;
    private @Nullable Lane lane;

    /** The row that was read last: mostly the next to be asked for. */
    private @Nullable LaneRow read;

    private Change(Stores stores, LaneKey key, long now, @Nullable Lane before, long wake) {
        this.stores = stores;
        this.key = key;
        this.now = now;
        this.before = before;
        this.wake = wake;
        this.lane = before;
    }

    /** Of a lane that is there or not, and whose wake has not come. */
    static Change of(Stores stores, LaneKey key, long now) {
        Lane before = stores.lanes().get(key);
        return new Change(stores, key, now, before, before == null ? Lane.NEVER : before.wakeAt());
    }

    /** Of a lane whose wake has just been taken from the {@link Wakes}; null when it was the wake of another day. */
    static @Nullable Change woken(Stores stores, LaneKey key, long at, long now) {
        Lane before = stores.lanes().get(key);
        return before == null || before.wakeAt() != at ? null : new Change(stores, key, now, before, Lane.NEVER);
    }

    /** What the event was to the lane; what is {@link Heard#STALE} must have no effect anywhere else either. */
    public Heard heard() {
        return heard;
    }

    /** Whose lane it is. */
    public LaneKey key() {
        return key;
    }

    void heardAs(Heard what) {
        heard = what;
    }

    long now() {
        return now;
    }

    /** As it is by now, null when the key flows. */
    @Nullable
    Lane lane() {
        return lane;
    }

    /** The lane before anything was changed. */
    @Nullable
    Lane before() {
        return before;
    }

    /** The same for rules that only a lane with rows can come to. */
    Lane existing() {
        if (lane == null) {
            throw broken("is gone, but one of its rows is not");
        }
        return lane;
    }

    void become(@Nullable Lane next) {
        lane = next;
    }

    /** The row at a place, null when there is none. Where there is no lane nothing is read. */
    @Nullable
    LaneRow row(Place place) {
        Optional<LaneRow> changed = rows.get(place);
        if (changed != null) {
            return changed.orElse(null);
        }
        if (before != null && (read == null || !read.place().equals(place))) {
            read = stores.parked().get(key, place);
        }
        return before == null ? null : read;
    }

    /** The row with the smallest place. */
    LaneRow head() {
        LaneRow head = row(existing().head());
        if (head == null) {
            throw broken("has no row at its head");
        }
        return head;
    }

    /** The first row from a place on that is wanted, null when there is none. */
    @Nullable
    LaneRow first(Place from, Predicate<LaneRow> wanted) {
        LaneRow changed = null;
        for (Optional<LaneRow> each : rows.tailMap(from, true).values()) {
            if (each.filter(wanted).isPresent()) {
                changed = each.get();
                break;
            }
        }
        LaneRow stored = before == null
                ? null
                : stores.parked().first(key, from, row -> !rows.containsKey(row.place()) && wanted.test(row));
        if (changed != null && (stored == null || changed.place().compareTo(stored.place()) < 0)) {
            return changed;
        }
        read = stored;
        return stored;
    }

    void put(LaneRow row) {
        rows.put(row.place(), Optional.of(row));
    }

    void remove(Place place) {
        rows.put(place, Optional.empty());
    }

    /** All of it, in one go; what is thrown from here on is no row's fault and takes back the transaction. */
    void write() {
        rows.forEach((place, row) -> row.ifPresentOrElse(
                each -> stores.parked().put(key, each), () -> stores.parked().delete(key, place)));
        writeWake(lane == null ? Lane.NEVER : lane.wakeAt());
        if (lane != null && !lane.equals(before)) {
            stores.lanes().put(key, lane);
        }
        if (lane == null && before != null) {
            stores.lanes().delete(key);
        }
        count();
    }

    private void writeWake(long wanted) {
        if (wake == wanted) {
            return;
        }
        if (wake != Lane.NEVER) {
            stores.wakes().remove(key, wake);
        }
        if (wanted != Lane.NEVER) {
            stores.wakes().add(key, wanted);
        }
    }

    private void count() {
        int moreRows = (lane == null ? 0 : lane.rows()) - (before == null ? 0 : before.rows());
        long moreBytes = (lane == null ? 0 : lane.bytes()) - (before == null ? 0 : before.bytes());
        if (moreRows != 0 || moreBytes != 0) {
            stores.watcher().rows(moreRows, moreBytes);
        }
        if (before == null && lane != null) {
            stores.count().more();
            stores.watcher().blocked(key, lane.since());
        }
        if (before != null && lane == null) {
            stores.count().fewer();
            stores.watcher().flowing(key, before.since(), now);
        }
    }

    /** A change is written whole, in a transaction that is committed whole: only a store that is torn from outside can look so. */
    UnusableState broken(String how) {
        return new UnusableState(
                "lane %s %s: the stores do not belong together; delete this instance's state directory, it is rebuilt from Kafka"
                        .formatted(key, how));
    }
}
