package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;

/**
 * A row on a lane.
 *
 * @param place which orders it among the rows of the lane
 * @param standing what the lane knows of it
 * @param record that carries it
 */
public record LaneRow(Place place, Standing standing, RawRecord record) {

    /** A row that comes in and was never tried. */
    public static LaneRow fresh(Place place, RawRecord record) {
        return new LaneRow(place, Standing.FRESH, record);
    }

    LaneRow with(Standing changed) {
        return new LaneRow(place, changed, record);
    }

    /** Where it stands. */
    public RowState state() {
        return standing.state();
    }

    long bytes() {
        return record.sizeInBytes();
    }
}
