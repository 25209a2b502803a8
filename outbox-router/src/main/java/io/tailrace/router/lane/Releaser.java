package io.tailrace.router.lane;

import java.util.Optional;

/** Hands a row out: to an executor, which answers later, or to an attempt made in place, which answers at once. */
@FunctionalInterface
public interface Releaser {

    /**
     * Releases a row, or gives it up if its standing says so. What it throws is no row's fault, and takes back the transaction.
     *
     * @return the answer, if it is there already; it passes no fence, since nobody else can have spoken meanwhile
     */
    Optional<LaneEvent> release(LaneKey key, LaneRow row);
}
