package io.tailrace.router.lane;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The lanes, by key. */
public interface LaneStore {

    /** The lane of a key, null when it flows. */
    @Nullable
    Lane get(LaneKey key);

    /** How many there are, counted one by one; empty if there are more than can be counted at a start. */
    OptionalInt count();

    /** Writes a lane. */
    void put(LaneKey key, Lane lane);

    /** The key flows again. */
    void delete(LaneKey key);
}
