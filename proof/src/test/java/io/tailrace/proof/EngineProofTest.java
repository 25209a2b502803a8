package io.tailrace.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.proof.ProofSettings.Act;
import io.tailrace.proof.load.WorkloadKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The short crash loop: nothing lost, doubled or out of order, whoever is killed when. Its control is {@link StockResumeTest}. */
class EngineProofTest {

    /** Kept when something was found. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void nothingIsLostOrDoubledWhoeverIsKilled() throws Exception {
        Verdict verdict = run(
                directory,
                Resume.TAILRACE,
                WorkloadKind.MIXED,
                List.of(
                        new Act(Fault.ENGINE, Integer.getInteger("tailrace.kills", 12)),
                        new Act(Fault.POSTGRES, 2),
                        new Act(Fault.BROKER, 2),
                        new Act(Fault.ZOMBIE, 2)));
        assertThat(verdict.isClean()).as(verdict.counts().toString()).isTrue();
        assertThat(verdict.counts().read())
                .isEqualTo(verdict.counts().committed())
                .isGreaterThan(6_000);
        // Each is dealt as often. But an engine that has found its place before it is hit searches no more.
        assertThat(verdict.killsByPoint())
                .containsOnlyKeys(KillPoint.values())
                .allSatisfy((point, hits) ->
                        assertThat(hits).as(point.key()).isGreaterThanOrEqualTo(point == KillPoint.SEARCHING ? 1 : 2));
        assertThat(verdict.wrote())
                .allSatisfy((what, count) -> assertThat(count).as(what).isPositive());
    }

    static Verdict run(Path directory, Resume resume, WorkloadKind workload, List<Act> acts) throws Exception {
        long seed = Long.getLong("tailrace.seed", new Random().nextInt(Integer.MAX_VALUE));
        ProofSettings settings = new ProofSettings(acts, seed, workload, resume, ProofSettings.PATIENCE);
        Verdict verdict = new EngineProof(settings, directory, System.out::println, () -> false).run();
        System.out.println(verdict.json());
        return verdict;
    }
}
