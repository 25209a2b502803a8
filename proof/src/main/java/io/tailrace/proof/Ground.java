package io.tailrace.proof;

import io.tailrace.engine.CdcEngine;
import io.tailrace.proof.load.Workload;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What all faults have: settings, servers, writers, chance, and engines to start. Not thread-safe. */
final class Ground {

    /** Written around each fault. */
    private static final int ROWS_EACH = 1_000;

    private static final int TRICKLE_ROWS = 200;
    private static final Duration TRICKLE_PAUSE = Duration.ofMillis(50);

    /** A batch that ends within the rows of a COPY is what a resume is about; the default size has its share. */
    private static final List<Integer> BATCH_SIZES = List.of(100, 700, 2048, 2048);

    private final ProofSettings settings;
    private final Servers servers;
    private final Workload workload;
    private final ChildJvms jvms;
    private final Path directory;
    private final Random random;
    private int engines;
    private int restarts;

    Ground(ProofSettings settings, Servers servers, Workload workload, ChildJvms jvms, Path directory) {
        this.settings = settings;
        this.servers = servers;
        this.workload = workload;
        this.jvms = jvms;
        this.directory = directory;
        this.random = new Random(settings.seed());
    }

    Servers servers() {
        return servers;
    }

    Random random() {
        return random;
    }

    Duration patience() {
        return settings.patience();
    }

    /** Starts one more engine. */
    EngineChild engine() {
        int batch = BATCH_SIZES.get(random.nextInt(BATCH_SIZES.size()));
        return EngineChild.start(jvms, settings.resume(), "engine-%04d".formatted(++engines), servers.site(batch));
    }

    /**
     * What a supervisor does: an engine whose Debezium does not stop, because a batch stands still under it for instance, halts its process
     * rather than hold the slot, and is started again.
     *
     * @throws ProofStuck when it has ended for any other reason
     */
    EngineChild afterHalt(EngineChild engine, ChildEnded ended) {
        engine.close();
        if (ended.status() != CdcEngine.HALT_STATUS) {
            throw new ProofStuck(String.valueOf(ended.getMessage()), ended);
        }
        restarts++;
        return engine();
    }

    /** How often an engine has halted itself. */
    int restarts() {
        return restarts;
    }

    /** Lets the writers write the rows of one fault. */
    void write() throws SQLException {
        workload.requireHealthy();
        workload.allow(ROWS_EACH);
    }

    /**
     * Makes an engine stand still at a point of a batch while rows flow; for {@link KillPoint#RANDOM} leaves it at any moment, for {@link
     * KillPoint#SEARCHING} as soon as it searches, if it has not yet found.
     *
     * @return where it is
     */
    KillPoint bring(EngineChild engine, KillPoint point) throws SQLException {
        write();
        if (point.step().isEmpty()) {
            return atSomeMoment(engine, point);
        }
        engine.stopAt(point.step().get(), 1 + random.nextInt(4));
        long deadline = System.nanoTime() + patience().toNanos();
        while (!engine.standsAt(point.step().get(), TRICKLE_PAUSE)) {
            if (System.nanoTime() - deadline > 0) {
                throw new ProofStuck("no batch has come to " + point.key() + " within "
                        + patience().toSeconds() + " s; see the logs in " + directory);
            }
            workload.requireHealthy();
            workload.trickle(TRICKLE_ROWS);
        }
        // What was handed to the producer is on its way, or there: both happen.
        pause(random.nextInt(80));
        return point;
    }

    private KillPoint atSomeMoment(EngineChild engine, KillPoint point) {
        if (point == KillPoint.SEARCHING) {
            require(engine.searches(patience()), "no engine began to search");
            pause(random.nextInt(400));
            return engine.flows() ? KillPoint.RANDOM : KillPoint.SEARCHING;
        }
        require(engine.flows(patience()), "no engine published anything");
        workload.trickle(TRICKLE_ROWS);
        pause(random.nextInt(600));
        return point;
    }

    void require(boolean came, String otherwise) {
        if (!came) {
            throw new ProofStuck("%s within %d s; see the logs in %s"
                    .formatted(otherwise, patience().toSeconds(), directory));
        }
    }

    static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
