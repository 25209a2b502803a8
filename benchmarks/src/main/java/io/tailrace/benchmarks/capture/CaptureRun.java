package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.benchmarks.harness.Arena;
import io.tailrace.benchmarks.harness.DrainTrial;
import io.tailrace.benchmarks.harness.Ground;
import io.tailrace.benchmarks.harness.Latency;
import io.tailrace.benchmarks.harness.LatencyTrial;
import io.tailrace.benchmarks.harness.Shape;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Runs a plan. For each shape: rows are written once, then every contender drains them, in turn and so many times; then, again in turn,
 * each follows a writer. Never two contenders at a time.
 */
final class CaptureRun {

    private final CapturePlan plan;
    private final Arena arena;
    private final List<Trial> trials = new ArrayList<>();

    private CaptureRun(CapturePlan plan, Arena arena) {
        this.plan = plan;
        this.arena = arena;
    }

    /**
     * Runs it all.
     *
     * @param progress is told what begins
     * @throws IllegalStateException when a contender fails or does not deliver every row
     */
    static CaptureReport of(CapturePlan plan, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        try (Arena arena = Arena.open(plan.lineup(), progress)) {
            return new CaptureRun(plan, arena).run();
        }
    }

    private CaptureReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        String postgres = "";
        for (Contender contender : plan.lineup().contenders()) {
            postgres = arena.ground(contender).version();
        }
        for (Shape shape : plan.shapes()) {
            drains(shape);
            if (plan.latencySeconds() > 0) {
                latencies(shape);
            }
        }
        return CaptureReport.of(plan, postgres, trials);
    }

    private void drains(Shape shape) throws IOException, SQLException, InterruptedException, ExecutionException {
        for (Ground ground : arena.grounds()) {
            arena.tell("writing %d + %d rows, %d to a transaction"
                    .formatted(plan.lineup().warmRows(), plan.rows(), shape.rowsPerTransaction()));
            ground.fill(plan.lineup().warmRows(), plan.rows(), shape);
        }
        for (int run = 0; run < plan.lineup().runs(); run++) {
            for (Contender contender : plan.lineup().inOrderOf(run)) {
                prepare(contender);
                Measured measured = new DrainTrial(arena, plan.rows())
                        .of(contender, "%s-%s-%d".formatted(contender.text(), shape.text(), run + 1));
                tell(contender, shape, run, DrainTrial.line(measured));
                trials.add(new Trial(contender, shape, run + 1, Optional.of(measured), Optional.empty()));
            }
        }
    }

    private void latencies(Shape shape) throws IOException, SQLException, InterruptedException, ExecutionException {
        LatencyTrial trial = new LatencyTrial(arena, shape, plan.rowsPerSecond(), plan.latencySeconds());
        for (int run = 0; run < plan.lineup().runs(); run++) {
            for (Contender contender : plan.lineup().inOrderOf(run)) {
                arena.ground(contender).bench().beginHere();
                prepare(contender);
                Latency latency = trial.ofRows(contender, Optional.empty());
                tell(contender, shape, run, latency.line());
                trials.add(new Trial(contender, shape, run + 1, Optional.empty(), Optional.of(latency)));
            }
        }
    }

    private void tell(Contender contender, Shape shape, int run, String figures) {
        arena.tell("%s, %d to a transaction, run %d of %d: %s"
                .formatted(
                        contender.text(),
                        shape.rowsPerTransaction(),
                        run + 1,
                        plan.lineup().runs(),
                        figures));
    }

    private void prepare(Contender contender) throws SQLException, InterruptedException, ExecutionException {
        arena.ground(contender).makeSlots();
        arena.topics().reset(contender.wantedTopics(Site.WARM, Site.BENCH));
    }
}
