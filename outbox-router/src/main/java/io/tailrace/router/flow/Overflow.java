package io.tailrace.router.flow;

import io.tailrace.contract.retry.ErrorTrail;

/** What stands on a row that is given up because its lane is too long. */
final class Overflow {

    static final ErrorTrail TRAIL = ErrorTrail.of("LaneOverflow", "the lane of its key is over its limits");

    static final String STAGE = "lane";

    private Overflow() {}
}
