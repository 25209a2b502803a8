package io.tailrace.proof.commands;

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

/** The short run: each point once. */
class CommandsProofTest {

    /** Kept when something was found. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void everyCommandHasItsEffectOnceInOrderAndInTime() throws Exception {
        CommandsVerdict verdict = run(Integer.getInteger("tailrace.kills", 8), Guarantee.EXACTLY_ONCE);
        assertThat(verdict.isProved()).as(verdict.findings().toString()).isTrue();
    }

    /** What a handler has done over a connection of its own when its executor dies is done again. */
    @Test
    @Tag("long")
    void effectsBesideTheTransactionAreDoubledAndTheProofSaysSo() throws Exception {
        CommandsVerdict verdict = run(8, Guarantee.AT_LEAST_ONCE);
        assertThat(verdict.isClean()).isFalse();
        assertThat(verdict.duplicated()).isPositive();
        assertThat(verdict.missing()).isZero();
        assertThat(verdict.findings()).anyMatch(finding -> finding.contains("doubled"));
    }

    private CommandsVerdict run(int kills, Guarantee guarantee) throws Exception {
        long seed = Long.getLong("tailrace.seed", new Random().nextInt(Integer.MAX_VALUE));
        CommandsSettings settings = new CommandsSettings(kills, seed, guarantee, ProofSettings.PATIENCE);
        CommandsVerdict verdict =
                new CommandsProof(settings, directory, System.out::println, () -> false, Clock.systemUTC()).run();
        System.out.println(verdict.json());
        return verdict;
    }
}
