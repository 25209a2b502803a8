package io.tailrace.router.lane;

/**
 * How long a lane may get. Over either limit one row is given up as {@code lane-overflow}: the head of a lane that goes on after its
 * dead letters, the row that comes in where the key stops at them. There is no limit while the head waits for a destination that is
 * down: such a lane is as long as the outage.
 *
 * @param rows on one lane
 * @param bytes of their records
 * @param window rows of a lane released ahead of their answers, once the head has succeeded
 */
public record LaneLimits(int rows, long bytes, int window) {

    /** On disk, not on the heap: a limit against a key that never recovers. */
    public static final LaneLimits DEFAULT = new LaneLimits(100_000, 256L << 20, 1_000);

    /** Whether so much is too much. */
    boolean areExceededBy(int rowsOnLane, long bytesOnLane) {
        return rowsOnLane > rows || bytesOnLane > bytes;
    }
}
