package io.tailrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnavailabilityTest {

    private static final Duration WAIT = Duration.ofMinutes(10);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong now = new AtomicLong();
    private final Unavailability rows = new Unavailability(new ExecutorMetrics(meters, "shop", 1), now::get);
    private final UUID first = new UUID(0, 1);
    private final UUID second = new UUID(0, 2);

    @Test
    void theOldestOfANameIsToldUntilItIsOver() {
        rows.again(first, "mail", WAIT, "no answer");
        pass(WAIT);
        rows.again(first, "mail", WAIT, "no answer");
        rows.again(second, "mail", WAIT, "no answer");
        pass(WAIT);
        assertThat(age()).isEqualTo(20 * 60);

        rows.over(first);
        assertThat(age()).isEqualTo(10 * 60);
        rows.over(second);
        assertThat(age()).isZero();
    }

    @Test
    void aRowThatWentElsewhereIsForgotten() {
        rows.again(first, "mail", WAIT, "no answer");
        pass(WAIT.plus(Unavailability.LOST));
        assertThat(age()).isEqualTo(15 * 60);
        pass(Duration.ofMillis(1));
        assertThat(age()).isZero();
        rows.again(first, "mail", WAIT, "no answer");
        assertThat(age()).isZero();
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private double age() {
        return meters.get("tailrace.executor.unavailable.age").gauge().value();
    }
}
