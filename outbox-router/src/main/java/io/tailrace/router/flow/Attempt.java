package io.tailrace.router.flow;

import io.tailrace.router.lane.LaneEvent;
import java.util.Optional;

/**
 * What an attempt of a row on a lane comes to.
 *
 * @param deed what is to be done
 * @param outcome what it is to the lane; empty when somebody else will answer for the row
 */
record Attempt(Deed deed, Optional<LaneEvent> outcome) {

    Attempt(Deed deed, LaneEvent outcome) {
        this(deed, Optional.of(outcome));
    }
}
