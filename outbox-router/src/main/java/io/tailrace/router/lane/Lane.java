package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;

/**
 * A blocked key. Only blocked keys have one, and no lane is empty.
 *
 * @param head smallest place on the lane
 * @param window what may be released
 * @param rows on the lane, released ones included
 * @param bytes of these rows
 * @param wakeAt when the lane is to be looked at again, {@link #NEVER} when only a word about one of its rows will wake it
 * @param since when the key was blocked; both in milliseconds since the epoch
 */
public record Lane(Place head, Window window, int rows, long bytes, long wakeAt, long since) {

    /** No timer. */
    public static final long NEVER = Long.MAX_VALUE;

    /**
     * What may be released.
     *
     * @param open whether the head has just succeeded: then rows are released ahead of their answers; else only the head is
     * @param frontier no row before it waits to be released, unless it is the head
     * @param inFlight released rows that have not been answered
     */
    public record Window(boolean open, Place frontier, int inFlight) {

        Window opened() {
            return new Window(true, frontier, inFlight);
        }

        Window closed() {
            return new Window(false, frontier, inFlight);
        }

        /** A row came back, or came in, at this place. */
        Window returned(Place place, boolean stillOpen, boolean wasInFlight) {
            Place first = place.compareTo(frontier) < 0 ? place : frontier;
            return new Window(open && stillOpen, first, inFlight - (wasInFlight ? 1 : 0));
        }

        Window released(Place place) {
            Place next = successor(place);
            return new Window(open, next.compareTo(frontier) > 0 ? next : frontier, inFlight + 1);
        }

        Window settled(boolean wasInFlight) {
            return new Window(open, frontier, inFlight - (wasInFlight ? 1 : 0));
        }
    }

    static Lane around(LaneRow row, long now) {
        return new Lane(row.place(), new Window(false, row.place(), 0), 1, row.bytes(), NEVER, now);
    }

    Lane with(Window changed) {
        return new Lane(head, changed, rows, bytes, wakeAt, since);
    }

    Lane wakingAt(long instant) {
        return new Lane(head, window, rows, bytes, instant, since);
    }

    Lane headedBy(Place place) {
        return new Lane(place, window, rows, bytes, wakeAt, since);
    }

    Lane plus(int moreRows, long moreBytes) {
        return new Lane(head, window, rows + moreRows, bytes + moreBytes, wakeAt, since);
    }

    /** The next place that could be; the last one of all has none but itself. */
    static Place successor(Place place) {
        return place.packed() == Long.MAX_VALUE ? place : Place.unpacked(place.packed() + 1);
    }
}
