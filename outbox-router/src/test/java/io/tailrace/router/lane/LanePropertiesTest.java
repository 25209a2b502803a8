package io.tailrace.router.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
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

/** The lane rules against simple models, in worlds full of failures, duplicates, crashes and replays. */
class LanePropertiesTest {

    private static final LaneKey LANE = LaneKey.of("x", "shop/shop", "k", "-");
    private static final int WINDOW = 4;
    private static final RawRecord RECORD = new RawRecord("t", 0, 0, null, null, Headers.empty());

    /**
     * A subscription: handlers fail, snooze, die, are requeued; every answer may be sent twice, and that to a release may be lost; the
     * router crashes and begins again from its last commit. After each step the lane has released exactly what the naive one has; in the end every row is done or
     * dead, nothing is left over, and no row was released twice for one turn unless it said that it was early or said nothing.
     */
    @Property(tries = 300)
    void aSubscriptionsLaneReleasesWhatTheNaiveOneDoesAndLosesNothing(@ForAll long seed) {
        new World(new Random(seed)).run();
    }

    /**
     * The router's own rows: each attempt succeeds, fails or ends the row, at random. Rows come out in the order of their places, each
     * once; every row comes out or is given up.
     */
    @Property(tries = 300)
    void theRoutersOwnRowsComeOutInOrderEachOnce(@ForAll long seed) {
        Random random = new Random(seed);
        InMemory stores = new InMemory();
        Lanes lanes = new Lanes(stores, stores, stores, new LaneLimits(1_000, 1 << 20, WINDOW), LaneWatcher.NONE);
        List<Long> delivered = new ArrayList<>();
        Set<Long> dead = new HashSet<>();
        Releaser attempt = (key, row) -> Optional.of(attempt(row, random, delivered, dead, 0));
        long now = 0;
        long rows = 5 + random.nextInt(40);
        for (long offset = 0; offset < rows; offset++) {
            LaneRow row = LaneRow.fresh(new Place(1, offset), RECORD);
            if (lanes.isBlocked(LANE)) {
                InMemory.take(
                        lanes, LANE, LaneEvent.of(Kind.ARRIVED, row.place(), 0, RECORD), now, attempt, budget(random));
            } else {
                LaneEvent outcome = attempt(row, random, delivered, dead, now);
                if (outcome.kind() == Kind.FAILED) {
                    InMemory.take(lanes, LANE, outcome, now, attempt, budget(random));
                }
            }
            now += random.nextInt(30);
            wakeAll(lanes, stores, now, attempt, random);
        }
        for (int tick = 0; tick < 10_000 && !stores.isEmpty(); tick++) {
            now += 10;
            wakeAll(lanes, stores, now, attempt, random);
        }
        assertThat(stores.isEmpty()).isTrue();
        assertThat(delivered).isSorted().doesNotHaveDuplicates();
        assertThat(delivered.size() + dead.size()).isEqualTo((int) rows);
    }

    private static LaneEvent attempt(LaneRow row, Random random, List<Long> delivered, Set<Long> dead, long now) {
        int turn = row.standing().turn();
        int dice = random.nextInt(10);
        if (dice < 5) {
            delivered.add(row.place().offset());
            return LaneEvent.of(Kind.DONE, row.place(), turn, RECORD);
        }
        if (dice < 6) {
            assertThat(dead.add(row.place().offset())).isTrue();
            return LaneEvent.of(Kind.DEAD, row.place(), turn, RECORD);
        }
        long until = Math.max(now, row.standing().notBefore()) + random.nextInt(100);
        return new LaneEvent(Kind.FAILED, row.place(), turn + 1, until, turn + 1, 0, RECORD);
    }

    private static void wakeAll(Lanes lanes, InMemory stores, long now, Releaser releaser, Random random) {
        for (int left = 50; left > 0; left--) {
            Lane lane = stores.get(LANE);
            if (lane == null || stores.due(now) == null) {
                return;
            }
            lanes.wake(LANE, lane.wakeAt(), now, releaser, budget(random));
        }
    }

    /** Sometimes one row, so that ticks end in the middle of a lane. */
    private static Budget budget(Random random) {
        return new Budget(random.nextInt(4) == 0 ? 1 : 1_000, 1_000, () -> 0);
    }

    /** An executor with its table, the two topics between it and the router, and the router's lane beside the naive one. */
    private static final class World {

        private static final class Row {
            final Place place;
            int turn;
            boolean isWaiting;
            boolean isDone;
            boolean isDead;
            long notBefore;
            Kind lastWord = Kind.BEHIND;

            Row(Place place) {
                this.place = place;
            }
        }

        private record Release(Place place, int turn) {}

        private final Random random;
        private final InMemory stores = new InMemory();
        private final Lanes lanes =
                new Lanes(stores, stores, stores, new LaneLimits(1_000, 1 << 20, WINDOW), LaneWatcher.NONE);
        private final NaiveLane naive = new NaiveLane(WINDOW);
        private final TreeMap<Place, Row> table = new TreeMap<>();
        private final List<LaneEvent> retryTopic = new ArrayList<>();
        private List<Release> redeliveryTopic = new ArrayList<>();
        private final Set<Release> allowedTwice = new HashSet<>();
        private int read;
        private int redelivered;
        private int committed;
        private boolean isLosing;
        private long now;
        private Runnable lastCommit = () -> {};
        private List<Place> released = new ArrayList<>();

        World(Random random) {
            this.random = random;
        }

        void run() {
            int rows = 3 + random.nextInt(25);
            commit();
            for (int step = 0; step < 3_000; step++) {
                int dice = random.nextInt(10);
                if (dice < 2 && table.size() < rows) {
                    direct(new Place(1, table.size()));
                } else if (dice < 5) {
                    hear();
                } else if (dice < 7) {
                    isLosing = random.nextInt(10) == 0;
                    execute();
                    isLosing = false;
                } else if (dice < 8 && random.nextInt(10) == 0) {
                    requeue();
                } else if (dice < 9) {
                    now += random.nextInt(60);
                    tick();
                } else if (random.nextInt(5) == 0) {
                    lastCommit.run();
                }
                if (random.nextInt(3) == 0) {
                    commit();
                }
            }
            settle();
        }

        /** No more failures: all that waits must come to its end. */
        private void settle() {
            isLosing = false;
            for (int step = 0; step < 20_000; step++) {
                while (read < retryTopic.size()) {
                    hear();
                }
                commit();
                while (redelivered < committed) {
                    execute();
                }
                if (stores.isEmpty() && read == retryTopic.size()) {
                    break;
                }
                now += step % 100 == 99 ? 3_600_000 : 50;
                tick();
            }
            assertThat(stores.isEmpty()).as("something is left on the lane").isTrue();
            assertThat(naive.isEmpty()).isTrue();
            assertThat(table.values()).allMatch(row -> row.isDone || row.isDead);
            Set<Release> once = new HashSet<>();
            assertThat(redeliveryTopic).allMatch(release -> once.add(release) || allowedTwice.contains(release));
        }

        /** A record of the source topic: the row meets the executor for the first time. */
        private void direct(Place place) {
            Row row = new Row(place);
            table.put(place, row);
            if (random.nextInt(3) == 0 || isBehind(row)) {
                attempt(row);
            } else {
                row.isDone = true;
            }
        }

        private boolean isBehind(Row row) {
            return table.headMap(row.place).values().stream().anyMatch(before -> before.isWaiting);
        }

        private void attempt(Row row) {
            if (isBehind(row)) {
                row.isWaiting = true;
                row.turn++;
                say(row, Kind.BEHIND, 0);
                return;
            }
            int dice = random.nextInt(10);
            if (dice < 4) {
                row.isWaiting = true;
                row.turn++;
                say(row, Kind.FAILED, random.nextInt(200));
            } else if (dice < 5) {
                row.isWaiting = false;
                row.isDead = true;
                row.turn++;
                say(row, Kind.DEAD, 0);
            } else {
                row.isWaiting = false;
                row.isDone = true;
                say(row, Kind.DONE, 0);
            }
        }

        private void say(Row row, Kind kind, long wait) {
            row.lastWord = kind;
            row.notBefore = now + wait;
            LaneEvent event = new LaneEvent(kind, row.place, row.turn, now + wait, 0, 0, RECORD);
            if (isLosing) {
                return;
            }
            retryTopic.add(event);
            if (random.nextInt(8) == 0) {
                retryTopic.add(event);
            }
        }

        /** An executor takes a released row, under the row's fence. */
        private void execute() {
            if (redelivered == committed) {
                return;
            }
            Release release = redeliveryTopic.get(redelivered++);
            Row row = table.get(release.place());
            if (row == null) {
                throw new AssertionError("released a row that nobody wrote: " + release);
            }
            if (row.isDone) {
                say(row, Kind.DONE, 0);
            } else if (row.turn > release.turn() || row.isDead) {
                // Another worker settled this turn: its outcome is repeated.
                retryTopic.add(new LaneEvent(row.lastWord, row.place, row.turn, row.notBefore, 0, 0, RECORD));
            } else if (random.nextInt(12) == 0) {
                allowedTwice.add(release);
                retryTopic.add(new LaneEvent(Kind.EARLY, row.place, row.turn, now + random.nextInt(50), 0, 0, RECORD));
            } else {
                attempt(row);
            }
        }

        private void requeue() {
            table.values().stream().filter(row -> row.isDead).findFirst().ifPresent(row -> {
                row.isDead = false;
                row.isWaiting = true;
                row.turn++;
                say(row, Kind.REPLAYED, 0);
            });
        }

        /** The router reads a record of the retry topic. */
        private void hear() {
            if (read == retryTopic.size()) {
                return;
            }
            LaneEvent event = retryTopic.get(read++);
            released = new ArrayList<>();
            InMemory.take(lanes, LANE, event, now, this::release, new Budget(1_000, 1_000, () -> 0));
            assertThat(released).as("after %s", event).isEqualTo(naive.take(event, now));
        }

        private void tick() {
            released = new ArrayList<>();
            Lane lane = stores.get(LANE);
            if (lane != null && stores.due(now) != null) {
                lanes.wake(LANE, lane.wakeAt(), now, this::release, new Budget(1_000, 1_000, () -> 0));
            }
            assertThat(released).as("at %d", now).isEqualTo(naive.release(now));
        }

        private Optional<LaneEvent> release(LaneKey key, LaneRow row) {
            released.add(row.place());
            if (row.state() == RowState.RELEASED) {
                allowedTwice.add(new Release(row.place(), row.standing().turn()));
            }
            redeliveryTopic.add(new Release(row.place(), row.standing().turn()));
            return Optional.empty();
        }

        /** The transaction ends: input offset, stores and what was released become one fact. Executors see only what is committed. */
        private void commit() {
            Runnable storesThen = stores.snapshot();
            Runnable naiveThen = naive.snapshot();
            int readThen = read;
            int releasedThen = redeliveryTopic.size();
            committed = releasedThen;
            lastCommit = () -> {
                storesThen.run();
                naiveThen.run();
                read = readThen;
                redeliveryTopic = new ArrayList<>(redeliveryTopic.subList(0, releasedThen));
                // A snapshot is used up when it is restored.
                commit();
            };
        }
    }
}
