package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;

/**
 * Something happened to a row.
 *
 * @param kind what
 * @param place of the row
 * @param turn the event speaks of
 * @param notBefore milliseconds since the epoch; when the row may be tried again
 * @param attempts used so far
 * @param waits in a row that used no attempt
 * @param record that carries the row from now on
 */
public record LaneEvent(Kind kind, Place place, int turn, long notBefore, int attempts, int waits, RawRecord record) {

    /** What happened. */
    public enum Kind {
        /** Its record was read while the lane was there. */
        ARRIVED(Fence.NONE),
        /** An attempt failed, or could not be made: it waits. */
        FAILED(Fence.NEWER),
        /** It met a row before it that waits. */
        BEHIND(Fence.NEWER),
        /** It was released before its time; nothing was stamped. */
        EARLY(Fence.SAME),
        /** It is done, or was found done or cancelled. */
        DONE(Fence.NOT_OLDER),
        /** It is dead; its dead letter is being written. */
        DEAD(Fence.NOT_OLDER),
        /** It is dead, its dead letter is written, and its key is to stop here. */
        HALTED(Fence.NOT_OLDER),
        /** It was dead and is tried anew, at its own place. */
        REPLAYED(Fence.NEWER),
        /**
         * The same of a row of the router, which has no turn outside its lane, or of an event at which its key stops, which has the turn of
         * its death still: the dead letter it came from is there once.
         */
        REVIVED(Fence.NONE),
        /** An operator lets the key go on without it. */
        SKIPPED(Fence.NONE),
        /** Its time was changed in its table. */
        RETIMED(Fence.NEWER),
        /** Its table says that it is overdue: asked for, if nobody has it. */
        WOKEN(Fence.NEWER),
        /** It is due now, whatever was said before: it was cancelled, and the sooner it is answered the better. */
        HURRIED(Fence.NONE),
        /** The lane is too long and this is its head. */
        OVERFLOWED(Fence.NONE),
        /** Its hour has come: to be released, or, if it is, to have been answered. */
        DUE(Fence.NONE);

        private final Fence fence;

        Kind(Fence fence) {
            this.fence = fence;
        }

        boolean passes(int turn, int known) {
            return fence.passes(turn, known);
        }
    }

    /** Which turns are news, given the one that is known. */
    private enum Fence {
        NONE,
        NEWER,
        SAME,
        NOT_OLDER;

        boolean passes(int turn, int known) {
            return switch (this) {
                case NONE -> true;
                case NEWER -> turn > known;
                case SAME -> turn == known;
                case NOT_OLDER -> turn >= known;
            };
        }
    }

    /** One that needs no more than the row. */
    public static LaneEvent of(Kind kind, Place place, int turn, RawRecord record) {
        return new LaneEvent(kind, place, turn, 0, 0, 0, record);
    }
}
