package io.tailrace.router.lane;

/** What an event was to a lane. */
public enum Heard {
    /** It speaks of a turn that is over. */
    STALE,
    /** News, but not for this lane: the row is not on it, or stands as the event says. */
    NOTHING_TO_DO,
    /** News, and the row changed: it came, moved or left. */
    CHANGED,
    /**
     * News: the row heads its lane and met somebody before it, again. Whoever that is stands on no lane, and nobody will wake him
     * unasked.
     */
    MET_A_STRANGER
}
