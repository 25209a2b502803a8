package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.engine.source.SlotFigures;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Ages are told by the clock of the database. */
class EngineMetricsTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void theDifferenceOfTheTwoClocksIsTakenOutOfEveryAge() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        EngineMetrics metrics = new EngineMetrics(registry, "slot", Clock.fixed(NOW, ZoneOffset.UTC));
        metrics.slot(Optional.of(new SlotFigures(
                0, 0, 0, Optional.empty(), "reserved", true, true, Optional.empty(), Duration.ofHours(-1))));
        long written = ChronoUnit.MICROS.between(Instant.EPOCH, NOW.minus(Duration.ofHours(1))) - 2_000_000;

        metrics.committed(LongStream.of(written));
        metrics.heartbeat(written);

        assertThat(registry.get("tailrace.engine.commit.to.raw").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        assertThat(metrics.heartbeatAge()).contains(Duration.ofSeconds(2));
        assertThat(metrics.ageMicros(written)).isEqualTo(2_000_000);
    }
}
