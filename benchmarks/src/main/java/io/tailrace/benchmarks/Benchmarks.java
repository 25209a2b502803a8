package io.tailrace.benchmarks;

import io.tailrace.benchmarks.capture.CaptureCommand;
import io.tailrace.benchmarks.commands.CommandsCommand;
import io.tailrace.benchmarks.latency.LatencyCommand;
import io.tailrace.benchmarks.profile.ProfileCommand;
import io.tailrace.benchmarks.route.RouteCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./benchmarks/run}: one verb for each benchmark. */
@Command(
        name = "run",
        description = "Measures Tailrace beside what it is measured against, on servers of its own.",
        subcommands = {
            CaptureCommand.class,
            RouteCommand.class,
            LatencyCommand.class,
            CommandsCommand.class,
            ProfileCommand.class
        },
        mixinStandardHelpOptions = true)
public final class Benchmarks {

    private Benchmarks() {}

    /** Exit code 0 when every contender did its work, 1 when one did not, 2 when the command line makes no sense. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Benchmarks())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }
}
