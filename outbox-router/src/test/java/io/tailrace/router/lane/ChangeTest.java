package io.tailrace.router.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane that changes whole or not at all, and a head that is silent. */
class ChangeTest {

    private static final LaneKey LANE = LaneKey.of("commands", "shop/shop", "k", "a");
    private static final Place HEAD = new Place(1, 10);
    private static final Place NEXT = new Place(1, 11);
    private static final long NOW = 1_000_000;
    private static final long LATER = NOW + 60_000;
    private static final RawRecord RECORD = new RawRecord("t", 0, 1, null, null, Headers.empty());

    private final InMemory stores = new InMemory();
    private final List<LaneRow> released = new ArrayList<>();
    private final Lanes lanes = new Lanes(stores, stores, stores, LaneLimits.DEFAULT, LaneWatcher.NONE);

    @BeforeEach
    void aHeadThatWaitsAndOneBehindIt() {
        take(new LaneEvent(Kind.FAILED, HEAD, 5, LATER, 1, 0, RECORD), NOW);
        take(LaneEvent.of(Kind.BEHIND, NEXT, 1, RECORD), NOW);
    }

    @Test
    void whatIsThrownBeforeItIsWrittenLeavesTheLaneAsItWas() {
        Lane lane = stores.get(LANE);
        Releaser thrower = (key, row) -> {
            if (row.place().equals(NEXT)) {
                throw new IllegalStateException("a bug");
            }
            return Optional.of(LaneEvent.of(Kind.DONE, row.place(), 5, RECORD));
        };
        assertThatThrownBy(() -> lanes.wake(LANE, LATER, LATER, thrower, budget()))
                .hasMessage("a bug");
        assertIsAsItWas(lane);
    }

    @Test
    void whatIsHeardAndNotSettledLeavesTheLaneAsItWas() {
        Lane lane = stores.get(LANE);
        assertThat(lanes.hear(LANE, LaneEvent.of(Kind.DONE, HEAD, 5, RECORD), NOW)
                        .heard())
                .isEqualTo(Heard.CHANGED);
        assertIsAsItWas(lane);
    }

    /** Whose answer was lost is asked for again, as often as it takes, but ever more rarely: executors may be down. */
    @Test
    void aHeadThatIsNotAnsweredIsReleasedAgainEverMoreRarely() {
        long now = LATER;
        wake(now);
        assertThat(released).hasSize(1);
        for (long silence : List.of(15L, 30L, 60L, 120L, 240L, 240L)) {
            int before = released.size();
            wake(now + silence * 60_000 - 1);
            assertThat(released).as("within %d min", silence).hasSize(before);
            now += (silence + 1) * 60_000;
            wake(now);
            assertThat(released).as("after %d min", silence).hasSize(before + 1);
            assertThat(released.get(before).place()).isEqualTo(HEAD);
            assertThat(released.get(before).standing().turn()).isEqualTo(5);
        }
        take(LaneEvent.of(Kind.DONE, HEAD, 5, RECORD), now);
        assertThat(released.get(released.size() - 1).place()).isEqualTo(NEXT);
        take(LaneEvent.of(Kind.DONE, NEXT, 1, RECORD), now);
        assertThat(stores.isEmpty()).isTrue();
    }

    private void assertIsAsItWas(@org.jspecify.annotations.Nullable Lane lane) {
        assertThat(stores.get(LANE)).isEqualTo(lane);
        for (Place place : List.of(HEAD, NEXT)) {
            LaneRow row = stores.get(LANE, place);
            assertThat(row == null ? RowState.ABSENT : row.state()).isEqualTo(RowState.WAITING);
        }
        assertThat(stores.wakes()).isEqualTo(1);
    }

    private void take(LaneEvent event, long now) {
        InMemory.take(lanes, LANE, event, now, this::release, budget());
    }

    private void wake(long now) {
        Lane lane = stores.get(LANE);
        if (lane != null && stores.due(now) != null) {
            lanes.wake(LANE, lane.wakeAt(), now, this::release, budget());
        }
    }

    private Optional<LaneEvent> release(LaneKey key, LaneRow row) {
        released.add(row);
        return Optional.empty();
    }

    private static Budget budget() {
        return new Budget(1_000, 1_000, () -> 0);
    }
}
