package io.tailrace.benchmarks.route;

import static io.tailrace.benchmarks.harness.Lineup.require;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.RunOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run route}. */
@Command(
        name = "route",
        description =
                "From the raw topic to the destination: rows per second of one router thread, CPU and heap, beside a peer and"
                        + " beside the limit.",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true)
public final class RouteCommand implements Callable<Integer> {

    /** What the compiler still does after as many rows as are measured is a good part of what the router itself does. */
    private static final int WARM_UPS = 2;

    @Option(names = "--rows", defaultValue = "300000", description = "Rows that each contender drains.")
    private int rows;

    @Mixin
    private RunOptions options = new RunOptions();

    /** For the command line. */
    public RouteCommand() {}

    @Override
    public Integer call() throws Exception {
        RoutePlan plan = options.plan(this::plan);
        return options.print(() -> RouteRun.of(plan, System.err::println), RouteTable::of);
    }

    private RoutePlan plan() {
        RoutePlan plan = new RoutePlan(options.lineup(Contender.ROUTE, WARM_UPS * rows), rows);
        require(
                Contender.ROUTE.containsAll(plan.lineup().contenders()),
                "--contenders must be of " + Contender.texts(Contender.ROUTE));
        return plan;
    }
}
