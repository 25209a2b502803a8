package io.tailrace.router.flow;

import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;

/** Plans for the rows of lanes whose turn has come. Nothing is sent or written by it. */
interface Attempts {

    /** The attempt of a row, or its end if its standing says so. */
    Attempt attempt(LaneKey lane, LaneRow row);

    /** The end of a row at whose attempt something was thrown. */
    Attempt giveUp(LaneKey lane, LaneRow row, ErrorTrail bug);
}
