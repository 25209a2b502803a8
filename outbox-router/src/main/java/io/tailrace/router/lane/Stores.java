package io.tailrace.router.lane;

/**
 * Where lanes are kept, and who hears of them.
 *
 * @param lanes by key
 * @param parked the rows on them
 * @param wakes when they want to be looked at
 * @param watcher counts
 */
record Stores(LaneStore lanes, ParkedStore parked, Wakes wakes, LaneWatcher watcher) {}
