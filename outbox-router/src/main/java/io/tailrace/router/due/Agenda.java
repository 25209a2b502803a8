package io.tailrace.router.due;

import io.tailrace.contract.record.Bytes;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.Wakes;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is due, and when. Two things are remembered beside the index, both lower bounds, both rebuilt when it is opened:
 *
 * <ul>
 *   <li>{@code cursor}: no entry stands before it. Deleted entries lie there in thousands, and a scan from the beginning would walk
 *       over each of them again.
 *   <li>{@code nextAt}: nothing is due before it. It may be too early by an entry that was taken away; then one scan finds out.
 * </ul>
 *
 * <p>For use by one stream thread at a time.
 */
public final class Agenda implements Wakes {

    /** Entries read at once: few enough to be thrown away when the budget ends, enough to make the seek cheap. */
    private static final int CHUNK = 64;

    /** Of {@link #nextAt()}: the index is empty. */
    public static final long NOTHING_DUE = Long.MAX_VALUE;

    private final DueStore store;
    private Bytes cursor = Bytes.of(new byte[0]);
    private long nextAt = Long.MIN_VALUE;

    /** Opens the index; the first tick looks where it begins. */
    public Agenda(DueStore store) {
        this.store = store;
    }

    /** Remembers something. */
    public void add(Due due) {
        Bytes position = DueCodec.position(due);
        store.put(position, DueCodec.value(due));
        if (isBefore(position, cursor)) {
            cursor = position;
        }
        nextAt = Math.min(nextAt, due.at());
    }

    /** Forgets something; nothing happens if it is not there. */
    public void remove(Due due) {
        store.delete(DueCodec.position(due));
    }

    @Override
    public void add(LaneKey key, long at) {
        add(new Due.Wake(at, key));
    }

    @Override
    public void remove(LaneKey key, long at) {
        remove(new Due.Wake(at, key));
    }

    /** Nothing is due before; {@link #NOTHING_DUE} when nothing is at all. */
    public long nextAt() {
        return nextAt;
    }

    /** Whether something may be due: one comparison. */
    public boolean isDue(long now) {
        return nextAt <= now;
    }

    /**
     * Fires what is due, in order, as far as the budget goes. An entry is gone from the index before it is fired; what it adds may
     * be due in the same call.
     *
     * @param now milliseconds since the epoch
     */
    public void fire(long now, Budget budget, Consumer<Due> action) {
        while (isDue(now)) {
            List<DueStore.Entry> entries = store.from(cursor, CHUNK);
            // From here on the bound is made anew: by the entry at which this ends, and by whatever the actions add.
            nextAt = NOTHING_DUE;
            for (DueStore.Entry entry : entries) {
                Due due = DueCodec.due(entry.position(), entry.value());
                if (due.at() > now || !budget.take()) {
                    nextAt = Math.min(nextAt, due.at());
                    return;
                }
                cursor = DueCodec.after(entry.position());
                store.delete(entry.position());
                action.accept(due);
                if (isDue(now) || isLast(entry, entries)) {
                    // What was added is due as well, perhaps before the next that was read, and the cursor must not
                    // pass it; or more
                    // may stand behind what was read. Either way: read again.
                    nextAt = Math.min(nextAt, due.at());
                    break;
                }
            }
        }
    }

    private static boolean isLast(DueStore.Entry entry, List<DueStore.Entry> entries) {
        return entries.size() == CHUNK && entry == entries.get(CHUNK - 1);
    }

    private static boolean isBefore(Bytes left, Bytes right) {
        return Arrays.compareUnsigned(left.array(), right.array()) < 0;
    }
}
