package io.tailrace.router.lane;

/** Where lanes leave word of when they want to be looked at. One wake for a lane: the one before is taken back first. */
public interface Wakes {

    /** Wake this lane at an instant, in milliseconds since the epoch. */
    void add(LaneKey key, long at);

    /** Do not wake it after all. */
    void remove(LaneKey key, long at);
}
