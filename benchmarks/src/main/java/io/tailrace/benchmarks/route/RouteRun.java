package io.tailrace.benchmarks.route;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.contender.Site;
import io.tailrace.benchmarks.harness.Arena;
import io.tailrace.benchmarks.harness.DrainTrial;
import io.tailrace.benchmarks.harness.Ground;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Runs a plan. Rows are committed once; Tailrace's engine brings them to the raw topics once; then every contender drains them, in turn
 * and so many times: the peer out of the log, the others out of those topics.
 */
final class RouteRun {

    private static final Set<String> RAW = Set.of(Site.WARM.rawTopic(), Site.BENCH.rawTopic());

    private final RoutePlan plan;
    private final Arena arena;

    private RouteRun(RoutePlan plan, Arena arena) {
        this.plan = plan;
        this.arena = arena;
    }

    /**
     * Runs it all.
     *
     * @param progress is told what begins
     * @throws IllegalStateException when a contender fails or does not deliver every row
     */
    static RouteReport of(RoutePlan plan, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        try (Arena arena = Arena.open(plan.lineup(), progress)) {
            return new RouteRun(plan, arena).run();
        }
    }

    private RouteReport run() throws IOException, SQLException, InterruptedException, ExecutionException {
        String postgres = "";
        for (Contender contender : plan.lineup().contenders()) {
            postgres = arena.ground(contender).version();
        }
        arena.tell("writing %d + %d rows".formatted(plan.lineup().warmRows(), plan.rows()));
        for (Ground ground : arena.grounds()) {
            ground.fill(plan.lineup().warmRows(), plan.rows(), RoutePlan.SHAPE);
        }
        if (plan.lineup().contenders().stream().anyMatch(Contender::readsRaw)) {
            arena.tell("bringing them to the raw topics");
            arena.ground(Contender.TAILRACE_TABLE).makeSlots();
            var unused = new DrainTrial(arena, plan.rows()).of(Contender.TAILRACE_TABLE, "engine");
        }
        return RouteReport.of(plan, postgres, drains());
    }

    private List<RouteTrial> drains() throws IOException, SQLException, InterruptedException, ExecutionException {
        List<RouteTrial> trials = new ArrayList<>();
        for (int run = 0; run < plan.lineup().runs(); run++) {
            for (Contender contender : plan.lineup().inOrderOf(run)) {
                if (!contender.readsRaw()) {
                    arena.ground(contender).makeSlots();
                }
                arena.topics().reset(RAW, contender.wantedTopics(Site.WARM, Site.BENCH));
                Measured measured =
                        new DrainTrial(arena, plan.rows()).of(contender, "%s-%d".formatted(contender.text(), run + 1));
                arena.tell("%s, run %d of %d: %s"
                        .formatted(contender.text(), run + 1, plan.lineup().runs(), DrainTrial.line(measured)));
                trials.add(new RouteTrial(contender, run + 1, measured));
            }
        }
        return trials;
    }
}
