package io.tailrace.contract.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RetryTest {

    @Property
    void aWaitIsBaseDoubledJitteredAndCapped(
            @ForAll @IntRange(min = 1, max = 1000) int attempts,
            @ForAll @DoubleRange(max = 1, maxIncluded = false) double chance) {
        double exact = 10_000 * Math.pow(2, attempts - 1);
        long wait = RetryPolicy.EVENTS.waitAfter(attempts, chance).toMillis();
        assertThat(wait)
                .isBetween((long) Math.min(300_000, exact * 0.8), (long) Math.min(300_000, Math.ceil(exact * 1.2)));
    }

    @Test
    void jitterGoesFromEightTenthsToTwelveTenths() {
        assertThat(RetryPolicy.COMMANDS.waitAfter(1, 0)).isEqualTo(Duration.ofSeconds(8));
        assertThat(RetryPolicy.COMMANDS.waitAfter(1, 0.5)).isEqualTo(Duration.ofSeconds(10));
        assertThat(RetryPolicy.COMMANDS.waitAfter(2, 0.999999999)).isEqualTo(Duration.ofSeconds(24));
        assertThat(RetryPolicy.COMMANDS.waitAfter(7, 0.9)).isEqualTo(Duration.ofSeconds(600));
    }

    @Test
    void fiveAttemptsAreTheBudget() {
        assertThat(RetryPolicy.EVENTS.isExhausted(4)).isFalse();
        assertThat(RetryPolicy.EVENTS.isExhausted(5)).isTrue();
        assertThatThrownBy(() -> new RetryPolicy(Duration.ofSeconds(2), Duration.ofSeconds(1), 5))
                .hasMessageContaining("cap");
        assertThatThrownBy(() -> new RetryPolicy(Duration.ZERO, Duration.ofSeconds(1), 5))
                .hasMessageContaining("base");
        assertThatThrownBy(() -> new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), 0))
                .hasMessageContaining("1 to 1000");
    }

    @Property
    void boundedTextFitsAndIsWellFormed(@ForAll String text, @ForAll @IntRange(max = 40) int most) {
        String bounded = ErrorTrail.bounded(text, most);
        byte[] bytes = bounded.getBytes(StandardCharsets.UTF_8);
        assertThat(bytes.length).isLessThanOrEqualTo(most);
        assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(bounded).doesNotContain("\0");
    }

    @Test
    void anExceptionThatIsItsOwnCauseThatHasNoMessageOrAHugeStackLeavesATrail() {
        RuntimeException round = new RuntimeException("a\0b\ud800c€") {
            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        };
        ErrorTrail trail = ErrorTrail.of(round);
        assertThat(trail.message()).isEqualTo("a\ufffdb\ufffdc€");
        assertThat(trail.stack()).endsWith("caused by one of the above, or by more than fits\n");
        assertThat(ErrorTrail.of(new RuntimeException((String) null)).message()).isEmpty();
        ErrorTrail huge = ErrorTrail.of(new RuntimeException("x".repeat(5_000_000)));
        assertThat(huge.message()).hasSize(ErrorTrail.MAX_MESSAGE_BYTES);
        assertThat(huge.stack()).hasSizeLessThan(ErrorTrail.MAX_STACK_BYTES);
        Throwable deep = new IllegalStateException("the root");
        for (int i = 0; i < 3; i++) {
            deep = new RuntimeException("level " + i, deep);
        }
        assertThat(ErrorTrail.of(deep).stack()).contains("caused by java.lang.IllegalStateException: the root");
        RuntimeException hostile = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no message for you");
            }
        };
        assertThat(ErrorTrail.of(hostile).message()).contains("could not be read");
        assertThat(ErrorTrail.of(hostile).stack()).isNotEmpty();
    }
}
