package io.tailrace.executor.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "               | PT10S",
                "0              | PT0S",
                "120            | PT2M",
                "' 7 '          | PT7S",
                "99999999999999 | PT1H",
                "-1             | PT10S",
                "1.5            | PT10S",
                "soon           | PT10S",
                "''             | PT10S",
                "999999999999999999999 | PT10S",
                "Sun, 01 Mar 2026 12:00:30 GMT | PT30S",
                "Sun, 01 Mar 2026 11:00:00 GMT | PT0S",
                "Sun, 01 Mar 2037 12:00:00 GMT | PT1H",
                "Sun, 31 Feb 2026 12:00:00 GMT | PT10S",
            })
    void isReadOrPassedOver(@Nullable String said, Duration wanted) {
        assertThat(RetryAfter.of(Optional.ofNullable(said), NOW, Duration.ofSeconds(10)))
                .isEqualTo(wanted);
    }
}
