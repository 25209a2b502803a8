package io.tailrace.contract.config;

import io.tailrace.contract.retry.RetryPolicy;
import java.time.Duration;

/** The three keys of a retry policy, wherever one stands. */
final class RetryKeys {

    private static final Key<Duration> BASE = Key.of(
                    "retry.base",
                    ValueType.DURATION,
                    "Wait after the first failure; it doubles with every further one.")
            .between(Duration.ofMillis(1), Duration.ofDays(1));
    private static final Key<Duration> CAP = Key.of(
                    "retry.cap", ValueType.DURATION, "Longest wait, the jitter of ±20 % included; at least the base.")
            .between(Duration.ofMillis(1), Duration.ofDays(7));
    static final Key<Integer> MAX_ATTEMPTS = Key.of(
                    "retry.max-attempts", ValueType.NUMBER, "Attempts before the row is a dead letter.")
            .between(1, RetryPolicy.MOST_ATTEMPTS);
    /** No other failure of an event is mended by trying again: see the table of the router. */
    static final Key<Integer> ROUTER_MAX_ATTEMPTS = Key.of(
                    "retry.max-attempts",
                    ValueType.NUMBER,
                    "Attempts before an event without a route is a dead letter: 1 is one, any more are two. Nothing else uses one: a"
                            + " destination that is down is waited for without an end, any other failure is a dead letter at once.")
            .between(1, RetryPolicy.MOST_ATTEMPTS);

    final String section;
    final Key<Duration> base;
    final Key<Duration> cap;
    final Key<Integer> maxAttempts;

    private final Key<Integer> attempts;

    RetryKeys(String section, RetryPolicy byDefault, Key<Integer> attempts) {
        this.section = section;
        this.base = BASE.at(section + ".base").byDefault(byDefault.base());
        this.cap = CAP.at(section + ".cap").byDefault(byDefault.cap());
        this.attempts = attempts;
        this.maxAttempts = attempts.at(section + ".max-attempts").byDefault(byDefault.maxAttempts());
    }

    /** The keys of one name, whose defaults are what the common policy turned out to be. */
    RetryKeys ofName(RetryPolicy common) {
        return new RetryKeys(section, common, attempts);
    }
}
