package io.tailrace.benchmarks.latency;

import static io.tailrace.benchmarks.harness.Lineup.require;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Lineup;
import java.util.ArrayList;
import java.util.List;

/**
 * What is run.
 *
 * @param lineup who is measured
 * @param seconds for which each is measured, in each run
 * @param rowsPerSecond events that are committed
 * @param timersPerSecond commands that fall due, in trials of their own, beside the events
 */
record LatencyPlan(Lineup lineup, int seconds, int rowsPerSecond, int timersPerSecond) {

    LatencyPlan {
        require(seconds >= 1 && seconds <= 600, "--seconds must be 1 to 600");
        require(rowsPerSecond >= 1 && rowsPerSecond <= 50_000, "--rate must be 1 to 50000");
        require(timersPerSecond >= 0 && timersPerSecond <= 10_000, "--timers must be 0 to 10000");
        require(lineup.warmRows() % 100 == 0, "--warm-up must be whole hundreds");
        require(
                lineup.contenders().stream().allMatch(LatencyPlan::comesFromTheLog),
                "--contenders must be such as read the log");
    }

    /** What is measured of a contender: rows from their commit, or commands from the instant at which they are due. */
    record Subject(Contender contender, boolean timers) {}

    /** As a run takes them: each begins with another one, so that none is always first. */
    List<Subject> inOrderOf(int run) {
        List<Subject> subjects = new ArrayList<>();
        for (Contender contender : lineup.contenders()) {
            subjects.add(new Subject(contender, false));
        }
        if (timersPerSecond > 0 && lineup.contenders().contains(Contender.TAILRACE_WHOLE)) {
            subjects.add(new Subject(Contender.TAILRACE_WHOLE, true));
        }
        return Lineup.rotated(subjects, run);
    }

    private static boolean comesFromTheLog(Contender contender) {
        return !contender.readsRaw() && contender != Contender.LIMIT_READ;
    }
}
