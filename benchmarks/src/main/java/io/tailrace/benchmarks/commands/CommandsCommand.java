package io.tailrace.benchmarks.commands;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.RunOptions;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run commands}. */
@Command(
        name = "commands",
        description =
                "From the insert of a command to the effect of its handler, all the way, beside peers that poll the same database.",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true)
public final class CommandsCommand implements Callable<Integer> {

    private static final int WARM_UP = 60_000;

    @Option(names = "--commands", defaultValue = "30000", description = "Commands of the burst over many keys.")
    private int commands;

    @Option(names = "--keys", defaultValue = "1000", description = "Keys of that burst.")
    private int keys;

    @Option(
            names = "--hot",
            defaultValue = "10000",
            description = "Commands of one key, in the burst and behind a head that waits.")
    private int hot;

    @Option(names = "--arriving", defaultValue = "300", description = "Commands a second that arrive behind these.")
    private int arriving;

    @Option(names = "--rate", defaultValue = "500", description = "Commands a second while the latency is measured.")
    private int rate;

    @Option(
            names = "--lead-in",
            defaultValue = "60",
            description =
                    "Seconds at that rate before it is measured, so that the JVMs are compiled as those of a server are.")
    private int leadIn;

    @Option(names = "--seconds", defaultValue = "20", description = "Time for which it is measured.")
    private int seconds;

    @Option(names = "--trials", split = ",", description = "Only these of ${COMPLETION-CANDIDATES}.")
    private @Nullable List<Trial> trials;

    @Mixin
    private RunOptions options = new RunOptions();

    /** For the command line. */
    public CommandsCommand() {}

    @Override
    public Integer call() throws Exception {
        CommandsPlan plan = options.plan(this::plan);
        return options.print(() -> CommandsRun.of(plan, System.err::println), CommandsTable::of);
    }

    private CommandsPlan plan() {
        return new CommandsPlan(
                options.lineup(Contender.COMMANDS, WARM_UP),
                trials == null ? List.of(Trial.values()) : trials,
                new CommandsPlan.Sizes(commands, keys, hot, arriving, rate, leadIn, seconds));
    }
}
