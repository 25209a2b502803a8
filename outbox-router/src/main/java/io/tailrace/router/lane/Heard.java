package io.tailrace.router.lane;

/** What an event was to a lane. */
public enum Heard {
    /** It speaks of a turn that is over. */
    STALE,
    /** News, but not for this lane: the row is not on it, or stands as the event says. */
    NOTHING_TO_DO,
    /** News, and the row changed: it came, moved or left. */
    CHANGED
}
