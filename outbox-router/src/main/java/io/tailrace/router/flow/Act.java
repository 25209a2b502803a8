package io.tailrace.router.flow;

import io.tailrace.router.lane.LaneEvent;

/**
 * What a decision about a row comes to.
 *
 * @param deed what is to be done
 * @param outcome what it is to the lane of the row, if it is on one or is to be
 */
record Act(Deed deed, LaneEvent outcome) {}
