package io.tailrace.proof.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.proof.ProofSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The short run: each point once, and again if a busy machine lets one slip. */
class RouterProofTest {

    /** Kept when something was found. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void nothingIsLostDoubledOrOutOfOrder() throws Exception {
        RouterVerdict verdict = run(Integer.getInteger("tailrace.kills", 5), Guarantee.EXACTLY_ONCE);
        assertThat(verdict.isProved()).as(verdict.findings().toString()).isTrue();
    }

    /** What was sent and not committed when a router died is sent again. */
    @Test
    @Tag("long")
    void atLeastOnceDoublesRowsAndTheProofSaysSo() throws Exception {
        RouterVerdict verdict = run(10, Guarantee.AT_LEAST_ONCE);
        assertThat(verdict.isClean()).isFalse();
        assertThat(verdict.duplicated()).isPositive();
        assertThat(verdict.missing()).isZero();
        assertThat(verdict.findings()).anyMatch(finding -> finding.contains("doubled"));
    }

    private RouterVerdict run(int kills, Guarantee guarantee) throws Exception {
        long seed = Long.getLong("tailrace.seed", new Random().nextInt(Integer.MAX_VALUE));
        RouterSettings settings = new RouterSettings(kills, seed, guarantee, ProofSettings.PATIENCE);
        RouterVerdict verdict =
                new RouterProof(settings, directory, System.out::println, () -> false, Clock.systemUTC()).run();
        System.out.println(verdict.json());
        return verdict;
    }
}
