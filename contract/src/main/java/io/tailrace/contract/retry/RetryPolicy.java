package io.tailrace.contract.retry;

import java.time.Duration;
import java.util.Objects;

/**
 * How often a row is tried and how long it waits between: {@code wait = min(cap, base * 2^(n-1) * U[0.8, 1.2])} after the n-th
 * failed attempt. The jitter is drawn once and stored as an instant; a row is never tried early.
 *
 * @param base wait after the first failure, more than zero
 * @param cap longest wait, jitter included, at least {@code base}
 * @param maxAttempts attempts before the row is dead, 1 to {@value #MOST_ATTEMPTS}
 */
public record RetryPolicy(Duration base, Duration cap, int maxAttempts) {

    /** More attempts than this are an endless loop in disguise. */
    public static final int MOST_ATTEMPTS = 1000;

    /** Half the width of the jitter. */
    public static final double JITTER = 0.2;

    /** For events and subscriptions. */
    public static final RetryPolicy EVENTS = new RetryPolicy(Duration.ofSeconds(10), Duration.ofSeconds(300), 5);

    /** For commands. */
    public static final RetryPolicy COMMANDS = new RetryPolicy(Duration.ofSeconds(10), Duration.ofSeconds(600), 5);

    public RetryPolicy {
        Objects.requireNonNull(base, "base");
        Objects.requireNonNull(cap, "cap");
        if (base.toMillis() < 1) {
            throw new IllegalArgumentException("retry base must be 1 ms or more, is " + base);
        }
        if (cap.compareTo(base) < 0) {
            throw new IllegalArgumentException("retry cap " + cap + " must not be below base " + base);
        }
        if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
            throw new IllegalArgumentException("max attempts must be 1 to " + MOST_ATTEMPTS + ", is " + maxAttempts);
        }
    }

    /** Whether a row that failed this often is dead. */
    public boolean isExhausted(int attempts) {
        return attempts >= maxAttempts;
    }

    /**
     * How long to wait after a failure.
     *
     * @param attempts failed attempts so far, 1 or more
     * @param chance uniform in [0, 1), drawn once by the caller
     */
    public Duration waitAfter(int attempts, double chance) {
        if (attempts < 1) {
            throw new IllegalArgumentException("no attempt has failed yet");
        }
        double doubled = base.toMillis() * Math.pow(2, Math.min(attempts - 1, 62));
        double jittered = doubled * (1 - JITTER + 2 * JITTER * chance);
        // Rounded up: half a millisecond early is early.
        return Duration.ofMillis((long) Math.min(cap.toMillis(), Math.ceil(jittered)));
    }
}
