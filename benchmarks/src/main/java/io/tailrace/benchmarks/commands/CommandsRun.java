package io.tailrace.benchmarks.commands;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.Arena;
import io.tailrace.benchmarks.harness.CommandTrial;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Runs a plan: every trial with every contender, in turn and so many times, on one database, never two at a time. */
final class CommandsRun {

    private final CommandsPlan plan;
    private final Arena arena;

    private CommandsRun(CommandsPlan plan, Arena arena) {
        this.plan = plan;
        this.arena = arena;
    }

    /**
     * Runs it all.
     *
     * @param progress is told what begins
     * @throws IllegalStateException when a contender fails, does not run every command, or Tailrace runs one twice or out of order
     */
    static CommandsReport of(CommandsPlan plan, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        try (Arena arena = Arena.open(plan.lineup(), progress)) {
            return new CommandsRun(plan, arena).run();
        }
    }

    private CommandsReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        String postgres = arena.ground(plan.lineup().contenders().get(0)).version();
        List<CommandsTrial> trials = new ArrayList<>();
        for (int run = 0; run < plan.lineup().runs(); run++) {
            for (Trial trial : plan.trials()) {
                for (Contender contender : plan.lineup().inOrderOf(run)) {
                    if (CommandsPlan.has(contender, trial)) {
                        CommandTrial.Outcome outcome = measure(contender, trial, run);
                        check(contender, outcome);
                        arena.tell("%s, %s, run %d of %d: %s"
                                .formatted(
                                        trial,
                                        contender.text(),
                                        run + 1,
                                        plan.lineup().runs(),
                                        outcome.line()));
                        trials.add(new CommandsTrial(contender, trial, run + 1, outcome));
                    }
                }
            }
        }
        return CommandsReport.of(plan, postgres, trials);
    }

    private CommandTrial.Outcome measure(Contender contender, Trial trial, int run)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        CommandTrial on = new CommandTrial(arena, plan.lineup().warmRows());
        CommandsPlan.Sizes sizes = plan.sizes();
        String recording = "%s-%s-%d".formatted(contender.text(), trial, run + 1);
        return switch (trial) {
            case DRAIN -> on.drain(contender, recording, sizes.commands(), sizes.keys());
            case HOT_KEY -> on.hotKey(contender, recording, sizes.hotCommands());
            case BEHIND -> on.behind(contender, recording, sizes.hotCommands(), sizes.arrivingPerSecond());
            case LATENCY ->
                on.latency(contender, recording, sizes.rowsPerSecond(), sizes.leadInSeconds(), sizes.seconds());
        };
    }

    /** Peers promise neither: what they did is reported. */
    private static void check(Contender contender, CommandTrial.Outcome outcome) {
        if (contender.isTailrace() && (outcome.doubled() > 0 || outcome.outOfOrder() > 0)) {
            throw new IllegalStateException("%s ran %d commands twice and %d out of order"
                    .formatted(contender.text(), outcome.doubled(), outcome.outOfOrder()));
        }
    }
}
