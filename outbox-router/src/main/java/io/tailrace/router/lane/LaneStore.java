package io.tailrace.router.lane;

import org.jspecify.annotations.Nullable;

/** The lanes, by key. */
public interface LaneStore {

    /** The lane of a key, null when it flows. */
    @Nullable
    Lane get(LaneKey key);

    /** Writes a lane. */
    void put(LaneKey key, Lane lane);

    /** The key flows again. */
    void delete(LaneKey key);
}
