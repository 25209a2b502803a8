package io.tailrace.router.lane;

import java.util.OptionalInt;

/**
 * How many lanes there are, so that nobody looks for one where none is. Where there are too many to be counted at a start nothing is
 * known. Begins anew with the stores of a task: what an aborted transaction did is neither there nor counted.
 */
final class LaneCount {

    private final boolean isKnown;
    private long lanes;

    private LaneCount(boolean isKnown, long lanes) {
        this.isKnown = isKnown;
        this.lanes = lanes;
    }

    static LaneCount of(LaneStore store) {
        OptionalInt counted = store.count();
        return new LaneCount(counted.isPresent(), counted.orElse(0));
    }

    /** Whether it is certain that there is none. */
    boolean isNone() {
        return isKnown && lanes == 0;
    }

    void more() {
        lanes++;
    }

    void fewer() {
        lanes--;
    }
}
