package io.tailrace.router.lane;

import java.util.function.LongSupplier;

/** What one tick may do before it makes room for polls and commits: so many rows, and so long. Not for use by two threads. */
public final class Budget {

    /** Nothing is released, only written down: what may go goes with the next tick. Has nothing that changes, and so may be shared. */
    public static final Budget NONE = new Budget(0, 0, () -> 0);

    private final LongSupplier clock;
    private final long deadline;
    private int rows;

    /**
     * Begins now.
     *
     * @param rows most rows
     * @param millis longest time
     * @param clock milliseconds
     */
    public Budget(int rows, long millis, LongSupplier clock) {
        this.rows = rows;
        this.clock = clock;
        this.deadline = clock.getAsLong() + millis;
    }

    /** Takes one row; false when there is none left, or no time. At least one row is always given. */
    public boolean take() {
        if (rows <= 0) {
            return false;
        }
        rows--;
        // Asked after the row is taken, so that a slow machine still goes on by a row a tick.
        if (clock.getAsLong() > deadline) {
            rows = 0;
        }
        return true;
    }
}
