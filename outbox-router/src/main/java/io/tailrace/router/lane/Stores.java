package io.tailrace.router.lane;

/**
 * Where lanes are kept, and who hears of them.
 *
 * @param lanes by key
 * @param count of them
 * @param parked the rows on them
 * @param wakes when they want to be looked at
 * @param watcher counts
 */
record Stores(LaneStore lanes, LaneCount count, ParkedStore parked, Wakes wakes, LaneWatcher watcher) {}
