package io.tailrace.executor.hold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BreakerTest {

    private final Breaker breaker = new Breaker();

    @Test
    void tenInARowOverThreeKeysOpenIt() {
        for (int n = 1; n < 10; n++) {
            assertThat(breaker.unavailable("key-" + n % 3)).as("after " + n).isFalse();
        }
        assertThat(breaker.unavailable("key-0")).isTrue();
        assertThat(breaker.unavailable("key-1")).as("counted anew").isFalse();
    }

    @Test
    void twoKeysAreNotEnough() {
        for (int n = 1; n <= 50; n++) {
            assertThat(breaker.unavailable("key-" + n % 2)).isFalse();
        }
        assertThat(breaker.unavailable("key-2")).isTrue();
    }

    @Test
    void aSuccessBeginsTheCountAnew() {
        for (int n = 1; n < 10; n++) {
            breaker.unavailable("key-" + n);
        }
        breaker.succeeded();
        for (int n = 1; n < 10; n++) {
            assertThat(breaker.unavailable("key-" + n)).isFalse();
        }
        assertThat(breaker.unavailable("key-10")).isTrue();
    }
}
