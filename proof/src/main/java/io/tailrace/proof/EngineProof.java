package io.tailrace.proof;

import io.tailrace.proof.ProofSettings.Act;
import io.tailrace.proof.count.Counts;
import io.tailrace.proof.count.Tables;
import io.tailrace.proof.count.Tally;
import io.tailrace.proof.count.Witness;
import io.tailrace.proof.load.RowId;
import io.tailrace.proof.load.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run: servers, writers, faults, and the count. Everything stands in one directory, which is the caller's to remove; what is in it
 * after a run that found something is the evidence. Single use.
 */
public final class EngineProof {

    private static final long TOLD_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ProofSettings settings;
    private final Path directory;
    private final Consumer<String> progress;
    private final BooleanSupplier asked;
    private final long began = System.nanoTime();
    private long told;

    /**
     * A run that has not begun.
     *
     * @param progress takes a line now and then
     * @param asked whether somebody wants it to end early
     */
    public EngineProof(ProofSettings settings, Path directory, Consumer<String> progress, BooleanSupplier asked) {
        this.settings = settings;
        this.directory = directory;
        this.progress = progress;
        this.asked = asked;
    }

    /**
     * Runs it; some seconds for each kill.
     *
     * @throws ProofStuck when it cannot go on, or was asked to end
     */
    public Verdict run() throws IOException, SQLException {
        Files.createDirectories(directory);
        progress.accept("PostgreSQL and a broker start; data and logs are in " + directory);
        ChildJvms jvms = new ChildJvms(directory);
        try (Servers servers = Servers.start(directory, jvms, settings.patience())) {
            servers.createTopics();
            EngineChild.rehearse(jvms, settings.resume(), servers.site(1000), settings.patience());
            String version = servers.postgresVersion();
            List<KillPoint> points = new ArrayList<>();
            Map<String, Long> wrote;
            try (Workload workload = new Workload(servers.jdbcUrl(), settings.workload(), settings.seed())) {
                Ground ground = new Ground(settings, servers, workload, jvms, directory);
                for (Act act : settings.acts()) {
                    play(act, ground, points);
                }
                workload.close();
                workload.requireHealthy();
                wrote = workload.wrote();
                progress.accept("The writers have ended; one more engine brings what is left, and all is counted");
                Counts counts = count(ground, servers);
                return new Verdict(
                        settings, Verdict.byPoint(points), counts, wrote, ground.restarts(), version, elapsedSeconds());
            }
        }
    }

    private void play(Act act, Ground ground, List<KillPoint> points) throws SQLException {
        try (Faults faults = Faults.of(act, ground)) {
            for (int i = 1; i <= act.kills(); i++) {
                KillPoint point = faults.strike();
                points.add(point);
                tell(
                        "%s: %d of %d, the last one at %s"
                                .formatted(act.fault().name().toLowerCase(Locale.ROOT), i, act.kills(), point.key()),
                        i == act.kills());
                if (asked.getAsBoolean()) {
                    throw new ProofStuck("asked to end after %d of %d; nothing is proved"
                            .formatted(points.size(), settings.kills()));
                }
            }
        }
    }

    private Counts count(Ground ground, Servers servers) throws SQLException {
        Tables tables = new Tables(servers.jdbcUrl());
        RowId last = tables.mark(0);
        Tally tally = new Tally();
        tables.tell(tally);
        try (EngineChild engine = ground.engine();
                Witness witness = new Witness(servers.site(1).bootstrapServers(), servers.rawTopics(), tally)) {
            ground.require(witness.readUntil(last, settings.patience()), "nothing came, and not the last row");
            // The transaction of that row may not have ended in every partition; one after it begins only when it has.
            RowId beyond = tables.mark(1);
            tally.committed(beyond.uuid(), Tally.Of.ROW);
            ground.require(
                    witness.readUntil(beyond, settings.patience()), "nothing came, and not the row behind the last");
            engine.kill();
            witness.readToEnd();
        }
        return tally.counts();
    }

    private void tell(String text, boolean always) {
        long now = System.nanoTime();
        if (always || now - told > TOLD_EVERY_NANOS) {
            told = now;
            progress.accept("%5.0f s  %s".formatted(elapsedSeconds(), text));
        }
    }

    private double elapsedSeconds() {
        return Math.round((System.nanoTime() - began) / 1e8) / 10.0;
    }
}
