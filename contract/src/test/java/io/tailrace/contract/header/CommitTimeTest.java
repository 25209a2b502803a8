package io.tailrace.contract.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommitTimeTest {

    @Test
    void readsEveryInstantAsThePlatformDoes() {
        SplittableRandom random = new SplittableRandom(20260131);
        for (int i = 0; i < 20_000; i++) {
            long seconds = random.nextLong(-2_000_000_000L, 9_000_000_000L);
            // Instants are written with no, three, six or nine digits.
            int nanos = List.of(0, 120_000_000, 123_456_000, 123_456_789, 999_999_999, 1_000)
                    .get(random.nextInt(6));
            String text = Instant.ofEpochSecond(seconds, nanos).toString();
            assertThat(CommitTime.millis(text)).as(text).isEqualTo(platform(text));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-31T23:59:59.1Z",
                "2026-01-31T23:59:59.12Z",
                "2026-01-31T23:59:60Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T23:60:00Z",
                "2026-02-29T00:00:00Z",
                "2024-02-29T00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-01-31T23:59:59.Z",
                "2026-01-31T23:59:59.1234567890Z",
                "2026-01-31T23:59:59",
                "2026-01-31T23:59Z",
                "2026-01-31T23:59:59+01:00",
                "+12026-01-31T23:59:59Z",
                "-0001-01-31T23:59:59Z",
                "2026-01-31t23:59:59z",
                "2026-01-31T23:59:5٣Z",
                "yesterday",
                ""
            })
    void isNoStricterAndNoLaxerThanThePlatform(String text) {
        assertThat(CommitTime.millis(text)).isEqualTo(platform(text));
    }

    private static OptionalLong platform(String text) {
        try {
            return OptionalLong.of(Instant.parse(text).toEpochMilli());
        } catch (DateTimeParseException notATime) {
            return OptionalLong.empty();
        }
    }
}
