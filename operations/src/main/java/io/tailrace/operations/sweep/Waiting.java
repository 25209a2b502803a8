package io.tailrace.operations.sweep;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How whoever sweeps waits. */
@FunctionalInterface
public interface Waiting {

    /** After each statement. */
    Duration BREATH = Duration.ofMillis(10);

    /** @return whether to go on; false when a stop came */
    boolean forTime(Duration time);

    /** Until a latch is counted down, which means to stop. */
    static Waiting unless(CountDownLatch stopping) {
        return time -> {
            try {
                return !stopping.await(time.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return false;
            }
        };
    }
}
