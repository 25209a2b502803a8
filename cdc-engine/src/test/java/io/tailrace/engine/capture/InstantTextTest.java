package io.tailrace.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class InstantTextTest {

    @Test
    void itIsWhatInstantSays() {
        InstantText text = new InstantText();
        long now = 1_796_004_032_000_000L;
        for (long micros : new long[] {
            0,
            1,
            -1,
            999,
            1000,
            999_999,
            now,
            now + 1,
            now + 10,
            now + 1000,
            now + 100_000,
            now + 999_999,
            now + 1_000_000,
            now - 1
        }) {
            assertThat(text.of(micros))
                    .isEqualTo(Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString());
        }
    }
}
