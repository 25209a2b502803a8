package io.tailrace.operations.sweep;

/**
 * How many rows are overdue.
 *
 * @param pending that should have run
 * @param dead whose letter may not have been written
 * @param oldestSeconds since the oldest pending one was due; 0 when there is none
 */
public record Seen(long pending, long dead, double oldestSeconds) {

    /** None. */
    public static final Seen NONE = new Seen(0, 0, 0);

    public long rows() {
        return pending + dead;
    }

    /** Both. */
    public Seen plus(Seen more) {
        return new Seen(pending + more.pending, dead + more.dead, Math.max(oldestSeconds, more.oldestSeconds));
    }
}
