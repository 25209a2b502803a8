package io.tailrace.benchmarks.latency;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.benchmarks.harness.Arena;
import io.tailrace.benchmarks.harness.Ground;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.LatencyTrial;
import io.tailrace.benchmarks.harness.Shape;
import io.tailrace.benchmarks.latency.LatencyPlan.Subject;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Runs a plan: every contender follows a writer, in turn and so many times, never two at a time. */
final class LatencyRun {

    private final LatencyPlan plan;
    private final Arena arena;

    private LatencyRun(LatencyPlan plan, Arena arena) {
        this.plan = plan;
        this.arena = arena;
    }

    /**
     * Runs it all.
     *
     * @param progress is told what begins
     * @throws IllegalStateException when a contender fails, does not deliver every row, or delivers a command too early
     */
    static LatencyReport of(LatencyPlan plan, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        try (Arena arena = Arena.open(plan.lineup(), progress)) {
            return new LatencyRun(plan, arena).run();
        }
    }

    private LatencyReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        String postgres = "";
        for (Contender contender : plan.lineup().contenders()) {
            postgres = arena.ground(contender).version();
        }
        arena.tell("writing %d rows to get warm with".formatted(plan.lineup().warmRows()));
        for (Ground ground : arena.grounds()) {
            ground.fill(plan.lineup().warmRows(), 0, Shape.ONE);
        }
        List<TimedTrial> trials = new ArrayList<>();
        for (int run = 0; run < plan.lineup().runs(); run++) {
            for (Subject subject : plan.inOrderOf(run)) {
                Latency latency = measure(subject, run);
                arena.tell("%s%s, run %d of %d: %s"
                        .formatted(
                                subject.contender().text(),
                                subject.timers() ? " (timers)" : "",
                                run + 1,
                                plan.lineup().runs(),
                                latency.line()));
                trials.add(new TimedTrial(subject, run + 1, latency));
            }
        }
        return LatencyReport.of(plan, postgres, trials);
    }

    private Latency measure(Subject subject, int run)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        Contender contender = subject.contender();
        Ground ground = arena.ground(contender);
        ground.bench().beginHere();
        ground.makeSlots();
        arena.topics().reset(contender.wantedTopics(Site.WARM, Site.BENCH));
        LatencyTrial trial = new LatencyTrial(arena, Shape.ONE, plan.rowsPerSecond(), plan.seconds());
        Optional<String> recording =
                Optional.of("%s-%s%d".formatted(contender.text(), subject.timers() ? "timers-" : "", run + 1));
        return subject.timers()
                ? trial.ofCommands(contender, recording, plan.timersPerSecond())
                : trial.ofRows(contender, recording);
    }
}
