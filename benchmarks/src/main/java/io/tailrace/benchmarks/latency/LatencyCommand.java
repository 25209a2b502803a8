package io.tailrace.benchmarks.latency;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.RunOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run latency}. */
@Command(
        name = "latency",
        description =
                "From commit to the reader of the destination, all the way, beside a peer of one hop; and how late"
                        + " commands are that fall due.",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true)
public final class LatencyCommand implements Callable<Integer> {

    private static final int WARM_UP = 100_000;

    @Option(names = "--seconds", defaultValue = "20", description = "Time for which is measured.")
    private int seconds;

    @Option(names = "--rate", defaultValue = "1000", description = "Events that are committed in a second.")
    private int rate;

    @Option(
            names = "--timers",
            defaultValue = "200",
            description = "Commands that fall due in a second beside the events; 0 leaves them out.")
    private int timers;

    @Mixin
    private RunOptions options = new RunOptions();

    /** For the command line. */
    public LatencyCommand() {}

    @Override
    public Integer call() throws Exception {
        LatencyPlan plan =
                options.plan(() -> new LatencyPlan(options.lineup(Contender.LATENCY, WARM_UP), seconds, rate, timers));
        return options.print(() -> LatencyRun.of(plan, System.err::println), LatencyTable::of);
    }
}
