package io.tailrace.benchmarks.commands;

import static io.tailrace.benchmarks.harness.Lineup.require;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Lineup;
import java.util.List;

/**
 * What is run.
 *
 * @param lineup who is measured
 * @param trials of each, in each run
 * @param sizes of the trials
 */
record CommandsPlan(Lineup lineup, List<Trial> trials, Sizes sizes) {

    CommandsPlan {
        trials = List.copyOf(trials);
        require(
                lineup.contenders().stream().allMatch(Contender::runsCommands),
                "--contenders must be of " + Contender.texts(Contender.COMMANDS));
    }

    /**
     * How much is run.
     *
     * @param commands of the burst over many keys
     * @param keys of that burst
     * @param hotCommands of one key
     * @param arrivingPerSecond more of that key, behind a head that waits
     * @param rowsPerSecond while the latency is measured
     * @param leadInSeconds at that rate before
     * @param seconds for which it is
     */
    record Sizes(
            int commands,
            int keys,
            int hotCommands,
            int arrivingPerSecond,
            int rowsPerSecond,
            int leadInSeconds,
            int seconds) {

        Sizes {
            require(commands >= 100 && commands <= 900_000, "--commands must be 100 to 900000");
            require(keys >= 1 && keys <= commands, "--keys must be 1 to --commands");
            require(hotCommands >= 100 && hotCommands <= 900_000, "--hot must be 100 to 900000");
            require(arrivingPerSecond >= 1 && arrivingPerSecond <= 10_000, "--arriving must be 1 to 10000");
            require(rowsPerSecond >= 1 && rowsPerSecond <= 10_000, "--rate must be 1 to 10000");
            require(leadInSeconds >= 0 && leadInSeconds <= 600, "--lead-in must be 0 to 600");
            require(seconds >= 1 && seconds <= 600, "--seconds must be 1 to 600");
        }
    }

    /** Whether this can be measured of him. */
    static boolean has(Contender contender, Trial trial) {
        return trial != Trial.BEHIND || contender.isTailrace();
    }
}
