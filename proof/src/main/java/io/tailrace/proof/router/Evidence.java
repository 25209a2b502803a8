package io.tailrace.proof.router;

import java.util.ArrayList;
import java.util.List;

/**
 * What has to have happened for a run to prove something: rules that nothing was held to are kept for nothing.
 *
 * @param late deliveries behind newer rows of their key, by a replay
 * @param overLanes commands that failed, waited on a lane, and were done when they came again
 * @param away rows that were delivered to the destination that was away
 * @param inTwoTopics records at the second of two destinations
 * @param unfinished replays that did not come to their end, in words
 */
record Evidence(long late, long overLanes, long away, long inTwoTopics, List<String> unfinished) {

    Evidence {
        unfinished = List.copyOf(unfinished);
    }

    /** What is missing, in words. */
    List<String> gaps() {
        List<String> gaps = new ArrayList<>(unfinished);
        if (late == 0) {
            gaps.add("No row was delivered late: nothing is proved of the order of replays.");
        }
        if (overLanes == 0) {
            gaps.add("No command went over a lane: nothing is proved of their order.");
        }
        if (away == 0) {
            gaps.add("No row waited for the destination that was away: nothing is proved of outages.");
        }
        if (inTwoTopics == 0) {
            gaps.add("No row went to two topics: nothing is proved of version transitions.");
        }
        return gaps;
    }
}
