package io.tailrace.proof.commands;

import java.util.ArrayList;
import java.util.List;

/**
 * What has to have happened for a run to prove something: rules that nothing was held to are kept for nothing.
 *
 * @param overLanes commands that failed, waited on a lane, and were done when they came again
 * @param snoozedTwice commands that were put off twice and then done
 * @param unavailableTwice the same of those whose dependency was down
 * @param cancelled commands that were cancelled
 * @param late effects behind newer ones of their key, by a replay
 * @param seen what was seen under way
 */
record Evidence(long overLanes, long snoozedTwice, long unavailableTwice, long cancelled, long late, Seen seen) {

    /**
     * What was seen under way.
     *
     * @param rolledBack commands that came to nothing
     * @param throughBroker commands that were due and not done when the broker came back
     * @param throughDatabase the same when the database went
     * @param splits how often a partition of what is due and that of what is due again belonged to two executors
     * @param unfinished replays that did not come to their end, in words
     */
    record Seen(long rolledBack, long throughBroker, long throughDatabase, int splits, List<String> unfinished) {

        Seen {
            unfinished = List.copyOf(unfinished);
        }
    }

    /** What is missing, in words. */
    List<String> gaps() {
        List<String> gaps = new ArrayList<>(seen.unfinished());
        need(gaps, overLanes, "No command went over a lane: nothing is proved of retries.");
        need(gaps, snoozedTwice, "No command was put off twice: nothing is proved of snoozes.");
        need(gaps, unavailableTwice, "No command found its dependency down twice: nothing is proved of that.");
        need(gaps, cancelled, "No command was cancelled: nothing is proved of that.");
        need(gaps, seen.rolledBack(), "Nothing was rolled back: nothing is proved of that.");
        need(gaps, seen.splits(), "No key was on two executors at once: nothing is proved of that.");
        need(gaps, seen.throughBroker(), "No command waited for the broker: nothing is proved of its outage.");
        need(gaps, seen.throughDatabase(), "No command waited for the database: nothing is proved of its outage.");
        return gaps;
    }

    private static void need(List<String> gaps, long count, String otherwise) {
        if (count == 0) {
            gaps.add(otherwise);
        }
    }
}
