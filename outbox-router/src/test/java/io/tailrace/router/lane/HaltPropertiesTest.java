package io.tailrace.router.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The router's own rows on a lane that may stop its key and may be too short, against the model of a list: arrivals, failures, dead
 * letters, outages, replays, skips, discards, ticks of any budget, crashes. A failing seed is printed and reproduces its world.
 */
class HaltPropertiesTest {

    private static final LaneKey LANE = LaneKey.of("events", "shop/shop", "k", "-");
    private static final RawRecord RECORD = new RawRecord("t", 0, 0, null, null, Headers.empty());

    /**
     * Halt-key: rows come out in the order of their places, each once, without any exception for those that died: a dead row is
     * replayed where it stands, skipped or discarded, or nobody passes it. What does not fit is refused, and stops the key like any
     * other that is dead. Nobody is refused for an outage.
     */
    @Property(tries = 300)
    void nobodyEverPassesARowAtWhichItsKeyStops(@ForAll long seed) {
        new World(new Random(seed), true).run();
    }

    /** Continue: the same with heads that are given up, at death and at overflow; over its limit a lane is for an outage only. */
    @Property(tries = 300)
    void aKeyThatGoesOnLosesNoRowThatIsNeitherDeliveredNorDead(@ForAll long seed) {
        new World(new Random(seed), false).run();
    }

    private static final class World {

        /** What has become of a row; the model of a lane is the rows that wait or are halted, in the order of their places. */
        private enum Fate {
            ON_THE_LANE,
            DELIVERED,
            DEAD,
            HALTED,
            SKIPPED
        }

        private final Random random;
        private final boolean halts;
        private final int limit;
        private final InMemory stores = new InMemory();
        private Lanes lanes;
        private TreeMap<Place, Fate> fates = new TreeMap<>();
        private List<Place> delivered = new ArrayList<>();
        private Set<Place> replayed = new HashSet<>();
        /** Rows whose last attempt found their destination away. */
        private Set<Place> away = new HashSet<>();

        private long next;
        private long now;
        private boolean isDown;
        private boolean isCalm;
        private Runnable lastCommit = () -> {};

        World(Random random, boolean halts) {
            this.random = random;
            this.halts = halts;
            this.limit = 3 + random.nextInt(20);
            this.lanes = open();
        }

        private Lanes open() {
            return new Lanes(stores, stores, stores, new LaneLimits(limit, 1 << 20, 4), LaneWatcher.NONE);
        }

        void run() {
            commit();
            for (int step = 0; step < 600; step++) {
                int dice = random.nextInt(22);
                if (dice == 20) {
                    discard();
                } else if (dice == 21) {
                    isDown = !isDown && random.nextInt(3) == 0;
                } else if (dice < 8) {
                    arrive();
                } else if (dice < 10) {
                    replay();
                } else if (dice < 11) {
                    skip();
                } else if (dice < 18) {
                    now += random.nextInt(60);
                    tick();
                } else if (random.nextInt(4) == 0) {
                    lastCommit.run();
                }
                holds();
                if (random.nextInt(3) == 0) {
                    commit();
                }
            }
            settle();
        }

        private void arrive() {
            LaneRow row = LaneRow.fresh(new Place(1, next++), RECORD);
            if (!lanes.isBlocked(LANE)) {
                fates.put(row.place(), Fate.ON_THE_LANE);
                LaneEvent outcome = attempt(row);
                if (outcome.kind() == Kind.FAILED || outcome.kind() == Kind.HALTED) {
                    InMemory.take(lanes, LANE, outcome, now, this::release, budget());
                }
            } else if (lanes.refuses(LANE, row, halts, now)) {
                assertThat(halts).as("refused where its head is given up").isTrue();
                assertThat(onTheLane()).as("refused although there is room").hasSizeGreaterThanOrEqualTo(limit);
                assertThat(away)
                        .as("refused for an outage")
                        .doesNotContain(onTheLane().get(0));
                refuse(row.place());
            } else {
                fates.put(row.place(), Fate.ON_THE_LANE);
                InMemory.take(
                        lanes, LANE, LaneEvent.of(Kind.ARRIVED, row.place(), 0, RECORD), now, this::release, budget());
            }
        }

        /** An operator replays a dead letter, the halted head's or any other. */
        private void replay() {
            List<Place> dead = fates.entrySet().stream()
                    .filter(each -> each.getValue() == Fate.HALTED
                            || each.getValue() == Fate.DEAD
                            || each.getValue() == Fate.SKIPPED)
                    .map(each -> each.getKey())
                    .toList();
            if (dead.isEmpty()) {
                return;
            }
            Place place = dead.get(random.nextInt(dead.size()));
            LaneRow row = LaneRow.fresh(place, RECORD);
            if (fates.get(place) != Fate.HALTED) {
                replayed.add(place);
            }
            if (lanes.isBlocked(LANE)) {
                if (lanes.refuses(LANE, row, halts, now)) {
                    refuse(place);
                    return;
                }
                fates.put(place, Fate.ON_THE_LANE);
                InMemory.take(lanes, LANE, LaneEvent.of(Kind.REVIVED, place, 0, RECORD), now, this::release, budget());
                return;
            }
            fates.put(place, Fate.ON_THE_LANE);
            LaneEvent outcome = attempt(row);
            if (outcome.kind() == Kind.FAILED || outcome.kind() == Kind.HALTED) {
                InMemory.take(lanes, LANE, outcome, now, this::release, budget());
            }
        }

        /** Parked, and its key stops at it. */
        private void refuse(Place place) {
            fates.put(place, Fate.HALTED);
            InMemory.take(lanes, LANE, LaneEvent.of(Kind.HALTED, place, 0, RECORD), now, this::release, budget());
        }

        /** An operator names any row at which the key stops, wherever it stands. */
        private void discard() {
            List<Place> halted = onTheLane().stream()
                    .filter(place -> fates.get(place) == Fate.HALTED)
                    .toList();
            if (halted.isEmpty()) {
                return;
            }
            Place place = halted.get(random.nextInt(halted.size()));
            LaneRow row = lanes.row(LANE, place);
            if (row == null || row.state() != RowState.HALTED) {
                throw new AssertionError("the key stops at " + place + ", but there is " + row);
            }
            fates.put(place, Fate.SKIPPED);
            int turn = row.standing().turn();
            InMemory.take(lanes, LANE, LaneEvent.of(Kind.SKIPPED, place, turn, RECORD), now, this::release, budget());
        }

        /** An operator names any row; only a halted head moves. */
        private void skip() {
            LaneRow head = lanes.head(LANE);
            if (head == null) {
                return;
            }
            if (head.state() == RowState.HALTED) {
                fates.put(head.place(), Fate.SKIPPED);
            }
            InMemory.take(
                    lanes,
                    LANE,
                    LaneEvent.of(Kind.SKIPPED, head.place(), head.standing().turn(), head.record()),
                    now,
                    this::release,
                    budget());
        }

        private void tick() {
            Lane lane = stores.get(LANE);
            if (lane != null && stores.due(now) != null) {
                lanes.wake(LANE, lane.wakeAt(), now, this::release, budget());
            }
        }

        private Optional<LaneEvent> release(LaneKey key, LaneRow row) {
            assertThat(row.standing().notBefore()).as("never early").isLessThanOrEqualTo(now);
            Place first = onTheLane().get(0);
            assertThat(row.place()).as("the first of the lane is attempted").isEqualTo(first);
            if (row.standing().burial() == Reason.LANE_OVERFLOW) {
                assertThat(halts || onTheLane().size() > limit)
                        .as("given up although it fits")
                        .isTrue();
                assertThat(away).as("given up for an outage").doesNotContain(row.place());
                return Optional.of(dead(row));
            }
            return Optional.of(attempt(row));
        }

        private LaneEvent attempt(LaneRow row) {
            int dice = isCalm ? 0 : random.nextInt(10);
            away.remove(row.place());
            if (isDown) {
                away.add(row.place());
                Standing before = row.standing();
                long later = now + 1 + random.nextInt(100);
                return new LaneEvent(
                        Kind.FAILED,
                        row.place(),
                        before.turn() + 1,
                        later,
                        before.attempts(),
                        before.waits() + 1,
                        RECORD);
            }
            if (dice < 5) {
                deliver(row.place());
                return LaneEvent.of(Kind.DONE, row.place(), row.standing().turn(), RECORD);
            }
            if (dice < 7) {
                return dead(row);
            }
            int turn = row.standing().turn() + 1;
            return new LaneEvent(Kind.FAILED, row.place(), turn, now + random.nextInt(100), turn, 0, RECORD);
        }

        private LaneEvent dead(LaneRow row) {
            fates.put(row.place(), halts ? Fate.HALTED : Fate.DEAD);
            Kind kind = halts ? Kind.HALTED : Kind.DEAD;
            return LaneEvent.of(kind, row.place(), row.standing().turn(), RECORD);
        }

        private void deliver(Place place) {
            assertThat(fates.put(place, Fate.DELIVERED)).as("delivered twice").isEqualTo(Fate.ON_THE_LANE);
            boolean isLate = replayed.contains(place);
            assertThat(isLate || delivered.isEmpty() || last().compareTo(place) < 0)
                    .as("%s behind %s", place, delivered)
                    .isTrue();
            assertThat(fates.headMap(place).values()).as("nobody passes").doesNotContain(Fate.HALTED, Fate.ON_THE_LANE);
            if (!isLate) {
                delivered.add(place);
            }
        }

        private Place last() {
            return delivered.get(delivered.size() - 1);
        }

        private void holds() {
            Lane lane = stores.get(LANE);
            List<Place> expected = onTheLane();
            assertThat(lane == null ? 0 : lane.rows()).isEqualTo(expected.size());
            LaneRow head = lanes.head(LANE);
            assertThat(head == null ? List.of() : List.of(head.place()))
                    .isEqualTo(expected.isEmpty() ? List.of() : expected.subList(0, 1));
            if (!halts && head != null && expected.size() > limit) {
                Standing standing = head.standing();
                boolean isOnItsWay = standing.notBefore() <= now || standing.burial() != null;
                assertThat(isOnItsWay || away.contains(head.place()))
                        .as("too long, and its head just waits")
                        .isTrue();
            }
        }

        private List<Place> onTheLane() {
            return fates.entrySet().stream()
                    .filter(each -> each.getValue() == Fate.ON_THE_LANE || each.getValue() == Fate.HALTED)
                    .map(each -> each.getKey())
                    .toList();
        }

        /** Operators look after every halted head, and nothing fails any more. */
        private void settle() {
            isCalm = true;
            isDown = false;
            for (int step = 0; step < 10_000 && !stores.isEmpty(); step++) {
                skip();
                now += 50;
                tick();
                holds();
            }
            assertThat(stores.isEmpty()).as("something is left").isTrue();
            assertThat(fates.values()).doesNotContain(Fate.ON_THE_LANE, Fate.HALTED);
        }

        /** Sometimes one row, so that ticks end in the middle of a lane. */
        private Budget budget() {
            return new Budget(random.nextInt(3) == 0 ? 1 : 1_000, 1_000, () -> 0);
        }

        private void commit() {
            Runnable storesThen = stores.snapshot();
            TreeMap<Place, Fate> fatesThen = new TreeMap<>(fates);
            List<Place> deliveredThen = new ArrayList<>(delivered);
            Set<Place> replayedThen = new HashSet<>(replayed);
            Set<Place> awayThen = new HashSet<>(away);
            long nextThen = next;
            lastCommit = () -> {
                storesThen.run();
                lanes = open();
                fates = fatesThen;
                delivered = deliveredThen;
                replayed = replayedThen;
                away = awayThen;
                next = nextThen;
                commit();
            };
        }
    }
}
