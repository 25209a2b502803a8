package io.tailrace.router.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneEvent.Kind;
import io.tailrace.router.lane.LaneTable.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Visits every cell of the table: what is written there, and what it does to a row. */
class LaneTableTest {

    private static final LaneKey LANE = LaneKey.of("commands", "shop/shop", "k", "a");
    private static final Place PLACE = new Place(1, 10);
    private static final long NOW = 1_000_000;
    private static final long LATER = NOW + 60_000;
    private static final RawRecord RECORD = new RawRecord("t", 0, 1, null, null, Headers.empty());

    private final InMemory stores = new InMemory();
    private final List<LaneRow> released = new ArrayList<>();
    private final Lanes lanes = new Lanes(stores, stores, stores, new LaneLimits(100, 1 << 20, 10), LaneWatcher.NONE);

    static Stream<Arguments> cells() {
        return Stream.of(
                        cell(Kind.ARRIVED, Move.ENTER, Move.DROP, Move.DROP, Move.DROP),
                        cell(Kind.FAILED, Move.ENTER, Move.ENTER, Move.ENTER, Move.ENTER),
                        cell(Kind.BEHIND, Move.ENTER, Move.ENTER, Move.YIELD, Move.ENTER),
                        cell(Kind.EARLY, Move.ENTER, Move.DROP, Move.REST, Move.DROP),
                        cell(Kind.DONE, Move.DROP, Move.LEAVE, Move.LEAVE, Move.LEAVE),
                        cell(Kind.DEAD, Move.DROP, Move.LEAVE, Move.LEAVE, Move.LEAVE),
                        cell(Kind.HALTED, Move.HALT, Move.HALT, Move.HALT, Move.HALT),
                        cell(Kind.REPLAYED, Move.ENTER, Move.ENTER, Move.ENTER, Move.ENTER),
                        cell(Kind.REVIVED, Move.ENTER, Move.DROP, Move.DROP, Move.ENTER),
                        cell(Kind.SKIPPED, Move.DROP, Move.DROP, Move.DROP, Move.LEAVE),
                        cell(Kind.RETIMED, Move.ENTER, Move.RETIME, Move.RETIME, Move.DROP),
                        cell(Kind.WOKEN, Move.ENTER, Move.DROP, Move.DROP, Move.ENTER),
                        cell(Kind.HURRIED, Move.DROP, Move.HURRY, Move.DROP, Move.DROP),
                        cell(Kind.OVERFLOWED, Move.DROP, Move.BURY, Move.DROP, Move.DROP),
                        cell(Kind.DUE, Move.DROP, Move.RELEASE, Move.REPEAT, Move.DROP))
                .flatMap(cells -> cells);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void eachCellDoesWhatTheTableSays(Kind kind, RowState from, Move expected) {
        assertThat(LaneTable.move(from, kind)).isEqualTo(expected);
        if (kind == Kind.OVERFLOWED || kind == Kind.DUE) {
            return; // Not from outside: limits and times bring them about, and have tests of their own.
        }
        put(from);
        int turn = kind == Kind.EARLY ? 5 : 6;
        LaneEvent event = new LaneEvent(kind, PLACE, turn, LATER, 2, 0, RECORD);
        assertThat(take(event, NOW)).isEqualTo(expected == Move.DROP ? Heard.NOTHING_TO_DO : Heard.CHANGED);

        LaneRow row = stores.get(LANE, PLACE);
        switch (expected) {
            case DROP -> assertThat(state(row)).isEqualTo(from);
            case ENTER -> {
                boolean isAtOnce = kind == Kind.BEHIND;
                assertThat(state(row)).isEqualTo(isAtOnce ? RowState.RELEASED : RowState.WAITING);
                assertThat(standing(row).turn()).isEqualTo(turn);
            }
            case YIELD -> {
                assertThat(standing(row).notBefore()).isEqualTo(NOW + Lanes.YIELD_MILLIS);
                assertThat(standing(row).turn()).isEqualTo(turn);
            }
            case REST -> {
                assertThat(standing(row).notBefore()).isEqualTo(LATER);
                assertThat(standing(row).turn()).isEqualTo(5);
            }
            case RETIME -> assertThat(standing(row)).isEqualTo(new Standing(RowState.WAITING, turn, LATER, 2, 0, null));
            case HURRY -> assertThat(state(row)).isEqualTo(RowState.RELEASED);
            case HALT -> assertThat(state(row)).isEqualTo(RowState.HALTED);
            case LEAVE -> assertThat(stores.isEmpty()).isTrue();
            case BURY, RELEASE, REPEAT -> throw new AssertionError("only from inside");
        }
    }

    @Test
    void everyCellIsVisited() {
        assertThat(cells()).hasSize(Kind.values().length * RowState.values().length);
    }

    @Test
    void aTurnThatIsOverIsNoNews() {
        put(RowState.RELEASED);
        for (Kind kind : List.of(Kind.FAILED, Kind.BEHIND, Kind.REPLAYED, Kind.RETIMED, Kind.WOKEN)) {
            assertThat(take(new LaneEvent(kind, PLACE, 5, LATER, 0, 0, RECORD), NOW))
                    .as("%s", kind)
                    .isEqualTo(Heard.STALE);
        }
        for (Kind kind : List.of(Kind.DONE, Kind.DEAD, Kind.EARLY)) {
            assertThat(take(new LaneEvent(kind, PLACE, 4, LATER, 0, 0, RECORD), NOW))
                    .as("%s", kind)
                    .isEqualTo(Heard.STALE);
        }
        assertThat(state(stores.get(LANE, PLACE))).isEqualTo(RowState.RELEASED);
        assertThat(released).hasSize(1);
    }

    @Test
    void aHeadThatMeetsSomebodyBacksOffEverMoreSlowly() {
        put(RowState.RELEASED);
        long now = NOW;
        long wait = Lanes.YIELD_MILLIS;
        for (int turn = 6; turn < 20; turn++) {
            take(LaneEvent.of(Kind.BEHIND, PLACE, turn, RECORD), now);
            assertThat(standing(stores.get(LANE, PLACE)).notBefore()).isEqualTo(now + wait);
            now += wait;
            wait = Math.min(wait * 2, Lanes.MAX_YIELD_MILLIS);
            wakeAll(now);
        }
        assertThat(released).hasSize(15);
    }

    /** A head that is done in its table, heard of too late, holds nobody for the hour that it was to wait. */
    @Test
    void aHeadThatIsNotTheOneThatWasMetIsAskedAtOnce() {
        take(new LaneEvent(Kind.FAILED, PLACE, 5, LATER, 1, 0, named("done")), NOW);
        take(new LaneEvent(Kind.FAILED, new Place(1, 11), 1, LATER, 1, 0, named("waiting")), NOW);
        take(LaneEvent.of(Kind.BEHIND, new Place(1, 12), 1, behind("c", "done")), NOW);
        assertThat(released).isEmpty();

        take(LaneEvent.of(Kind.BEHIND, new Place(1, 13), 1, behind("d", "waiting")), NOW);
        assertThat(places()).containsExactly(10L);
        take(LaneEvent.of(Kind.BEHIND, new Place(1, 14), 1, behind("e", "waiting")), NOW);
        assertThat(places()).containsExactly(10L);
        take(LaneEvent.of(Kind.DONE, PLACE, 5, RECORD), NOW);
        assertThat(places()).containsExactly(10L);
        wakeAll(LATER);
        assertThat(places()).containsExactly(10L, 11L);
    }

    @Test
    void aHeadThatWaitsRightlyAndWasAskedGoesOnWaiting() {
        take(new LaneEvent(Kind.FAILED, PLACE, 5, LATER, 1, 0, named("a")), NOW);
        take(LaneEvent.of(Kind.BEHIND, new Place(1, 11), 1, behind("b", "another")), NOW);
        take(new LaneEvent(Kind.EARLY, PLACE, 5, LATER, 1, 0, named("a")), NOW);
        assertThat(standing(stores.get(LANE, PLACE)).notBefore()).isEqualTo(LATER);
        assertThat(places()).containsExactly(10L);
        wakeAll(LATER);
        assertThat(places()).containsExactly(10L, 10L);
    }

    @Test
    void aHeadThatBacksOffKeepsItsPace() {
        put(RowState.RELEASED);
        take(LaneEvent.of(Kind.BEHIND, PLACE, 6, behind("a", "on its way")), NOW);
        take(LaneEvent.of(Kind.BEHIND, new Place(1, 11), 1, behind("b", "on its way")), NOW);
        assertThat(places()).containsExactly(10L);
    }

    @Test
    void aLaneOverItsLimitGivesUpTheHeadThatNobodyHolds() {
        Lanes small = new Lanes(stores, stores, stores, new LaneLimits(1, 1 << 20, 10), LaneWatcher.NONE);
        put(RowState.WAITING);
        Place next = new Place(1, 11);
        InMemory.take(small, LANE, LaneEvent.of(Kind.ARRIVED, next, 0, RECORD), NOW, this::release, budget());
        assertThat(released).hasSize(1);
        assertThat(released.get(0).place()).isEqualTo(PLACE);
        assertThat(released.get(0).standing().burial()).isEqualTo(Reason.LANE_OVERFLOW);

        // It is out now: what an executor holds is not taken from it.
        InMemory.take(
                small, LANE, LaneEvent.of(Kind.ARRIVED, new Place(1, 12), 0, RECORD), NOW, this::release, budget());
        assertThat(released).hasSize(1);
    }

    @Test
    void whatWaitsInTheMiddleStopsTheWindow() {
        put(RowState.RELEASED);
        for (int offset = 11; offset < 15; offset++) {
            take(LaneEvent.of(Kind.BEHIND, new Place(1, offset), 1, RECORD), NOW);
        }
        take(new LaneEvent(Kind.FAILED, new Place(1, 12), 2, LATER, 1, 0, RECORD), NOW);
        take(LaneEvent.of(Kind.DONE, PLACE, 5, RECORD), NOW);
        assertThat(places()).containsExactly(10L, 11L);
        take(LaneEvent.of(Kind.DONE, new Place(1, 11), 1, RECORD), NOW);
        assertThat(places()).containsExactly(10L, 11L);
        wakeAll(LATER);
        assertThat(places()).containsExactly(10L, 11L, 12L);
        take(LaneEvent.of(Kind.DONE, new Place(1, 12), 2, RECORD), LATER);
        assertThat(places()).containsExactly(10L, 11L, 12L, 13L, 14L);
    }

    /** Halt-key: whatever comes or is done before it, nobody passes a halted row until it is skipped or tried anew. */
    @Test
    void nobodyPassesARowAtWhichTheKeyStops() {
        put(RowState.HALTED);
        Place next = new Place(1, 11);
        take(LaneEvent.of(Kind.ARRIVED, next, 0, RECORD), NOW);
        Place older = new Place(1, 9);
        take(LaneEvent.of(Kind.REVIVED, older, 0, RECORD), NOW);
        assertThat(places()).containsExactly(9L);
        take(LaneEvent.of(Kind.DONE, older, 0, RECORD), NOW);
        assertThat(places()).as("the window that opened ends at the halted row").containsExactly(9L);
        wakeAll(LATER);
        assertThat(places()).containsExactly(9L);

        take(LaneEvent.of(Kind.SKIPPED, next, 0, RECORD), NOW);
        assertThat(places()).as("only a halted row is skipped").containsExactly(9L);
        take(LaneEvent.of(Kind.SKIPPED, PLACE, 0, RECORD), NOW);
        assertThat(places()).containsExactly(9L, 11L);
    }

    @Test
    void aHaltedRowThatIsTriedAnewHeadsItsLaneAgain() {
        put(RowState.HALTED);
        take(LaneEvent.of(Kind.ARRIVED, new Place(1, 11), 0, RECORD), NOW);
        take(LaneEvent.of(Kind.REVIVED, PLACE, 0, RECORD), NOW);
        assertThat(places()).containsExactly(10L);
        take(LaneEvent.of(Kind.DONE, PLACE, 0, RECORD), NOW);
        assertThat(places()).containsExactly(10L, 11L);
    }

    @Test
    void aLaneThatKeepsItsHeadRefusesWhatWouldMakeItTooLong() {
        Lanes small = new Lanes(stores, stores, stores, new LaneLimits(2, 1 << 20, 10), LaneWatcher.NONE);
        put(RowState.WAITING);
        LaneRow second = LaneRow.fresh(new Place(1, 11), RECORD);
        assertThat(small.refuses(LANE, second, true, NOW)).isFalse();
        InMemory.take(small, LANE, LaneEvent.of(Kind.ARRIVED, second.place(), 0, RECORD), NOW, this::release, budget());

        LaneRow third = LaneRow.fresh(new Place(1, 12), RECORD);
        assertThat(small.refuses(LANE, third, true, NOW)).isTrue();
        assertThat(small.refuses(LANE, third, false, NOW))
                .as("its head is given up")
                .isFalse();
        assertThat(small.refuses(LANE, second, true, NOW))
                .as("it is there already")
                .isFalse();
        InMemory.take(small, LANE, LaneEvent.of(Kind.HALTED, PLACE, 5, RECORD), NOW, this::release, budget());
        assertThat(small.refuses(LANE, third, false, NOW))
                .as("its head was given up, and stays")
                .isTrue();
    }

    @Test
    void oneLargeRowCostsAsManyHeadsAsItTakes() {
        Lanes small = new Lanes(stores, stores, stores, new LaneLimits(100, 1_000, 10), LaneWatcher.NONE);
        List<Long> givenUp = new ArrayList<>();
        Releaser inPlace = (key, row) -> {
            givenUp.add(row.place().offset());
            return Optional.of(
                    LaneEvent.of(Kind.DEAD, row.place(), row.standing().turn(), row.record()));
        };
        RawRecord light = RECORD.with(Headers.empty().with(HeaderName.CE_ID, "x".repeat(100)));
        for (int offset = 10; offset < 15; offset++) {
            LaneEvent waits = new LaneEvent(Kind.FAILED, new Place(1, offset), 1, LATER, 1, 0, light);
            InMemory.take(small, LANE, waits, NOW, inPlace, budget());
        }
        assertThat(givenUp).isEmpty();
        RawRecord heavy = RECORD.with(Headers.empty().with(HeaderName.CE_ID, "x".repeat(750)));
        LaneEvent waits = new LaneEvent(Kind.FAILED, new Place(1, 20), 1, LATER, 1, 0, heavy);
        InMemory.take(small, LANE, waits, NOW, inPlace, budget());
        assertThat(givenUp).containsExactly(10L, 11L, 12L);
    }

    @Test
    void aHeadThatMeetsAStrangerTwiceSaysSo() {
        put(RowState.RELEASED);
        assertThat(take(LaneEvent.of(Kind.BEHIND, PLACE, 6, behind("a", "lost")), NOW))
                .isEqualTo(Heard.CHANGED);
        wakeAll(NOW + Lanes.YIELD_MILLIS);
        assertThat(take(LaneEvent.of(Kind.BEHIND, PLACE, 7, behind("a", "lost")), NOW + Lanes.YIELD_MILLIS))
                .isEqualTo(Heard.MET_A_STRANGER);
    }

    @Test
    void aLaneThatNobodyServesIsLookedAtAgainLater() {
        put(RowState.WAITING);
        assertThat(stores.due(LATER)).isEqualTo(LANE);
        lanes.postpone(LANE, LATER, LATER + 1);
        assertThat(stores.due(LATER)).isNull();
        wakeAll(LATER + 1);
        assertThat(released).hasSize(1);
    }

    @Test
    void aHotKeyIsDrainedWithoutReadingItsLaneAgainAndAgain() {
        int rows = 10_000;
        Lanes wide = new Lanes(stores, stores, stores, new LaneLimits(100_000, 1 << 30, 1_000), LaneWatcher.NONE);
        InMemory.take(
                wide,
                LANE,
                new LaneEvent(Kind.FAILED, new Place(1, 0), 1, LATER, 1, 0, RECORD),
                NOW,
                this::release,
                budget());
        for (int offset = 1; offset < rows; offset++) {
            InMemory.take(
                    wide,
                    LANE,
                    LaneEvent.of(Kind.BEHIND, new Place(1, offset), 1, RECORD),
                    NOW,
                    this::release,
                    budget());
        }
        InMemory.take(wide, LANE, LaneEvent.of(Kind.HURRIED, new Place(1, 0), 1, RECORD), NOW, this::release, budget());
        for (int done = 0; done < released.size(); done++) {
            LaneRow row = released.get(done);
            InMemory.take(wide, LANE, LaneEvent.of(Kind.DONE, row.place(), 1, RECORD), NOW, this::release, budget());
        }
        assertThat(released).hasSize(rows);
        assertThat(stores.isEmpty()).isTrue();
        // Once to be released and once to become the head.
        assertThat(stores.rowsRead()).isLessThanOrEqualTo(3 * rows);
    }

    private static Stream<Arguments> cell(Kind kind, Move absent, Move waiting, Move released, Move halted) {
        return Stream.of(
                Arguments.of(kind, RowState.ABSENT, absent),
                Arguments.of(kind, RowState.WAITING, waiting),
                Arguments.of(kind, RowState.RELEASED, released),
                Arguments.of(kind, RowState.HALTED, halted));
    }

    /** A row of turn 5 in that state. */
    private void put(RowState state) {
        if (state != RowState.ABSENT) {
            take(new LaneEvent(Kind.FAILED, PLACE, 5, LATER, 1, 0, RECORD), NOW - 1);
        }
        if (state == RowState.RELEASED) {
            take(LaneEvent.of(Kind.HURRIED, PLACE, 5, RECORD), NOW - 1);
        }
        if (state == RowState.HALTED) {
            take(LaneEvent.of(Kind.HALTED, PLACE, 5, RECORD), NOW - 1);
        }
    }

    private static RawRecord named(String id) {
        return RECORD.with(Headers.empty().with(HeaderName.CE_ID, id));
    }

    private static RawRecord behind(String id, String met) {
        RawRecord record = named(id);
        return record.with(record.headers().with(HeaderName.BEHIND, met));
    }

    private Heard take(LaneEvent event, long now) {
        return InMemory.take(lanes, LANE, event, now, this::release, budget());
    }

    private void wakeAll(long now) {
        Lane lane = stores.get(LANE);
        if (lane != null && stores.due(now) != null) {
            lanes.wake(LANE, lane.wakeAt(), now, this::release, budget());
        }
    }

    private Optional<LaneEvent> release(LaneKey key, LaneRow row) {
        released.add(row);
        return Optional.empty();
    }

    private List<Long> places() {
        return released.stream().map(row -> row.place().offset()).toList();
    }

    private static Budget budget() {
        return new Budget(1_000, 1_000, () -> 0);
    }

    private static RowState state(@org.jspecify.annotations.Nullable LaneRow row) {
        return row == null ? RowState.ABSENT : row.state();
    }

    private static Standing standing(@org.jspecify.annotations.Nullable LaneRow row) {
        if (row == null) {
            throw new AssertionError("the row is not on the lane");
        }
        return row.standing();
    }
}
