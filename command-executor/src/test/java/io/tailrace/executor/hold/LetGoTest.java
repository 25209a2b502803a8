package io.tailrace.executor.hold;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How often a name is let go that others hold again. */
class LetGoTest {

    @Test
    void itIsLeftAloneTwiceAsLongEachTimeUpToTenMinutes() {
        List<Long> seconds = new ArrayList<>();
        long now = 0;
        LetGo name = LetGo.first(now);
        for (int times = 0; times < 12; times++) {
            seconds.add(name.pause().toSeconds());
            now += name.pause().toNanos() - 1;
            assertThat(name.isOver(now)).isFalse();
            // Held again, and looked at a second later.
            now += Duration.ofSeconds(1).toNanos();
            assertThat(name.isOver(now)).isTrue();
            name = name.again(now);
        }
        assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 512L, 600L, 600L);
    }

    @Test
    void oneThatStayedFreeBeginsAnew() {
        LetGo name = LetGo.first(0).again(Duration.ofSeconds(1).toNanos());
        assertThat(name.pause()).isEqualTo(Duration.ofSeconds(2));
        assertThat(name.again(Duration.ofSeconds(64).toNanos()).pause()).isEqualTo(Duration.ofSeconds(1));
    }
}
