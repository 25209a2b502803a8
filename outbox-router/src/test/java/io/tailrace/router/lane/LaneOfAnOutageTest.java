package io.tailrace.router.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A lane that an outage makes longer than its limits. */
class LaneOfAnOutageTest {

    private static final LaneKey LANE = LaneKey.of("events", "shop/shop", "k", "a");
    private static final Place PLACE = new Place(1, 10);
    private static final long NOW = 1_000_000;
    private static final long LATER = NOW + 60_000;
    private static final RawRecord RECORD = new RawRecord("t", 0, 1, null, null, Headers.empty());

    private final InMemory stores = new InMemory();
    private final List<LaneRow> released = new ArrayList<>();

    /** However long the outage is, and until all that it has held up is through. */
    @Test
    void aLaneWhoseHeadWaitsForADestinationHasNoLimit() {
        Lanes small = new Lanes(stores, stores, stores, new LaneLimits(2, 1 << 20, 10), LaneWatcher.NONE);
        boolean[] isDown = {true};
        Releaser inPlace = (key, row) -> {
            released.add(row);
            Standing before = row.standing();
            return Optional.of(
                    isDown[0]
                            ? new LaneEvent(
                                    Kind.FAILED,
                                    row.place(),
                                    before.turn() + 1,
                                    LATER + 1,
                                    before.attempts(),
                                    before.waits() + 1,
                                    RECORD)
                            : LaneEvent.of(Kind.DONE, row.place(), before.turn(), RECORD));
        };
        LaneEvent waits = new LaneEvent(Kind.FAILED, PLACE, 1, LATER, 0, 1, RECORD);
        InMemory.take(small, LANE, waits, NOW, inPlace, plenty());
        for (int offset = 11; offset < 20; offset++) {
            LaneRow row = LaneRow.fresh(new Place(1, offset), RECORD);
            assertThat(small.refuses(LANE, row, true, NOW)).isFalse();
            InMemory.take(small, LANE, LaneEvent.of(Kind.ARRIVED, row.place(), 0, RECORD), NOW, inPlace, plenty());
        }
        assertThat(released).isEmpty();

        isDown[0] = false;
        assertThat(stores.due(LATER)).isEqualTo(LANE);
        small.wake(LANE, LATER, LATER, inPlace, new Budget(3, 1_000, () -> 0));
        LaneRow late = LaneRow.fresh(new Place(1, 20), RECORD);
        assertThat(small.refuses(LANE, late, true, LATER))
                .as("seven are on their way")
                .isFalse();
        InMemory.take(small, LANE, LaneEvent.of(Kind.ARRIVED, late.place(), 0, RECORD), LATER, inPlace, plenty());
        assertThat(released).extracting(LaneRow::place).hasSize(11).isSorted();
        assertThat(released).extracting(row -> row.standing().burial()).containsOnlyNulls();
    }

    private static Budget plenty() {
        return new Budget(1_000, 1_000, () -> 0);
    }
}
