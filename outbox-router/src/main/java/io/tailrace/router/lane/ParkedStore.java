package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rows on lanes, by lane and place. */
public interface ParkedStore {

    /** The row at a place, null when there is none. */
    @Nullable
    LaneRow get(LaneKey key, Place place);

    /**
     * The first row of a lane, from a place on, that is wanted; null when there is none.
     *
     * @param from where to begin: always the first place that can hold a row, so that no deleted rows are passed over again
     */
    @Nullable
    LaneRow first(LaneKey key, Place from, Predicate<LaneRow> wanted);

    /** Writes a row. */
    void put(LaneKey key, LaneRow row);

    /** Takes a row off its lane. */
    void delete(LaneKey key, Place place);
}
