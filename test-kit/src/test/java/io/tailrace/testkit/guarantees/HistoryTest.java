package io.tailrace.testkit.guarantees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.testkit.MutableClock;
import io.tailrace.testkit.guarantees.History.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private final History history = History.of(List.of(
            new Row("a1", "a"),
            new Row("b1", "b"),
            new Row("a2", "a"),
            new Row("n1", null),
            new Row("n2", null),
            new Row("a3", "a")));

    @Test
    void aFaithfulDeliveryIsClean() {
        history.compare(List.of("b1", "n2", "a1", "n1", "a2", "a3"), Function.identity())
                .assertClean();
    }

    @Test
    void eachKindOfFaultIsNamed() {
        var findings = history.compare(List.of("a2", "a1", "x", "b1", "b1", "a3"), Function.identity());

        assertThat(findings.missing()).containsExactly("n1", "n2");
        assertThat(findings.duplicated()).containsExactly("b1");
        assertThat(findings.unknown()).containsExactly("x");
        assertThat(findings.outOfOrder()).containsExactly("key a: a1 was committed before a2 and delivered after it");
        assertThatThrownBy(findings::assertClean)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("missing 2 [n1, n2]");
    }

    @Test
    void aRepetitionOfAnEarlyRowIsADuplicateAndNotOutOfOrder() {
        var findings = history.compare(List.of("a1", "a2", "a1", "a3", "b1", "n1", "n2"), Function.identity());
        assertThat(findings.duplicated()).containsExactly("a1");
        assertThat(findings.outOfOrder()).isEmpty();
    }

    @Test
    void theClockStandsStillUntilMoved() {
        MutableClock clock = MutableClock.at(Instant.EPOCH);
        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
        clock.advance(Duration.ofMinutes(-10));
        assertThat(clock.withZone(java.time.ZoneOffset.MAX).instant()).isEqualTo("1969-12-31T23:50:00Z");
    }
}
