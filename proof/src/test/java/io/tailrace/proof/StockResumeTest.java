package io.tailrace.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.proof.ProofSettings.Act;
import io.tailrace.proof.load.WorkloadKind;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The control of the crash loop. A class of its own, so that it may run beside it. */
class StockResumeTest {

    /** Kept when the control has shown nothing. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** A batch ends within the rows of a COPY, its offset is stored, and the engine dies before the next one is sent. */
    @Test
    void debeziumsOwnResumeLosesRowsAndTheProofSaysSo() throws Exception {
        Verdict verdict = EngineProofTest.run(
                directory,
                Resume.STOCK,
                WorkloadKind.COPY,
                List.of(new Act(Fault.ENGINE, 6, EnumSet.of(KillPoint.BEFORE_SEND))));
        assertThat(verdict.isClean()).isFalse();
        assertThat(verdict.counts().missing()).isPositive();
        assertThat(verdict.counts().examples()).anyMatch(example -> example.startsWith("missing"));
    }
}
