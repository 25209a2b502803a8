package io.tailrace.proof.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.proof.history.Findings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a run has proved something: nothing may be wrong, and there must have been something of everything to judge. */
class RouterVerdictTest {

    private static final Latency FLAT = new Latency(20, 30, true);

    private final Map<RouterKillPoint, Integer> kills = new EnumMap<>(RouterKillPoint.class);
    private final Map<String, Integer> burned = new HashMap<>();
    private Findings rows = new Findings(9, 9, 1, 1, 0, 0, 0, List.of());
    private Findings copies = new Findings(9, 9, 0, 0, 0, 0, 0, List.of());
    private Latency latency = FLAT;
    private Evidence evidence = new Evidence(1, 1, 1, 1, List.of());

    RouterVerdictTest() {
        for (RouterKillPoint point : RouterKillPoint.values()) {
            kills.put(point, 1);
        }
    }

    @Test
    void aCleanRunThatHasMetEverythingProvesIt() {
        assertThat(verdict().isProved()).isTrue();
        assertThat(verdict().findings()).isEmpty();
    }

    @Test
    void nothingMayBeWrongWithRowsOrCopies() {
        for (Findings wrong : List.of(
                new Findings(9, 9, 1, 1, 1, 0, 0, List.of("wrong")),
                new Findings(9, 9, 1, 1, 0, 1, 0, List.of("wrong")),
                new Findings(9, 9, 1, 1, 0, 0, 1, List.of("wrong")))) {
            Findings clean = rows;
            rows = wrong;
            assertNotProved("wrong");
            rows = clean;
            clean = copies;
            copies = wrong;
            assertNotProved("wrong");
            copies = clean;
        }
    }

    @Test
    void noAttemptMayBeBurned() {
        burned.put("a", 2);
        assertNotProved("attempts burned: 2 of a");
    }

    @Test
    void noRowDiedOrNoneCameBack() {
        rows = new Findings(9, 9, 0, 1, 0, 0, 0, List.of());
        assertNotProved("No row died");
        rows = new Findings(9, 9, 1, 0, 0, 0, 0, List.of());
        assertNotProved("No dead letter was replayed");
    }

    @Test
    void aPointWasNeverHit() {
        kills.put(RouterKillPoint.MID_DELAY, 0);
        assertNotProved("No router was killed at " + RouterKillPoint.MID_DELAY.key());
    }

    @Test
    void otherKeysWereNotMeasuredBesideABlockedOneOrDidNotFlow() {
        latency = new Latency(20, 30, false);
        assertNotProved("was not blocked");
        latency = new Latency(20, 1_021, true);
        assertNotProved("Other keys waited");
    }

    @Test
    void somethingWasNotMet() {
        evidence = new Evidence(0, 1, 1, 1, List.of());
        assertNotProved("No row was delivered late");
        evidence = new Evidence(1, 0, 1, 1, List.of());
        assertNotProved("No command went over a lane");
        evidence = new Evidence(1, 1, 0, 1, List.of());
        assertNotProved("No row waited for the destination");
        evidence = new Evidence(1, 1, 1, 0, List.of());
        assertNotProved("No row went to two topics");
        evidence = new Evidence(1, 1, 1, 1, List.of("fenced"));
        assertNotProved("fenced");
    }

    @Test
    void otherKeysFlowOnOrTheyDoNot() {
        assertThat(new Latency(20, 1_020, true).isFlat()).isTrue();
        assertThat(new Latency(20, 1_021, true).isFlat()).isFalse();
        assertThat(new Latency(400, 2_000, true).isFlat()).as("a slow machine").isTrue();
        assertThat(new Latency(400, 2_001, true).isFlat()).isFalse();
    }

    private void assertNotProved(String because) {
        assertThat(verdict().isProved()).as(because).isFalse();
        assertThat(verdict().findings()).hasSize(1).allMatch(finding -> finding.contains(because));
    }

    private RouterVerdict verdict() {
        RouterSettings settings = new RouterSettings(5, 1, Guarantee.EXACTLY_ONCE, Duration.ofSeconds(1));
        return new RouterVerdict(settings, kills, rows, copies, burned, latency, evidence);
    }
}
