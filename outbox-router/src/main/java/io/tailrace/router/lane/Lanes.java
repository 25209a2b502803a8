package io.tailrace.router.lane;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.lane.LaneEvent.Kind;
import io.tailrace.router.lane.LaneTable.Move;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the lanes, over the stores. A row's way on its lane is the table of {@link LaneTable}; around it:
 *
 * <ul>
 *   <li>The head is the row with the smallest place. Before it has succeeded nothing else is released.
 *   <li>When the head is done the window opens: rows are released in place order ahead of their answers, up to
 *       {@link LaneLimits#window()}. A released row that comes back, one that is tried anew, or one that waits until later closes it.
 *   <li>A row at which its key stops lets nobody pass, until it is replayed or skipped.
 *   <li>A lane that is over its limits gives up its head, as often as it takes.
 *   <li>A lane that has lost its last row is gone, and the key flows.
 * </ul>
 *
 * <p>Every change is written before the method returns, in the transaction of the record or timer that caused it: a crash takes back
 * cause and change together. For use by one stream thread at a time.
 */
public final class Lanes {

    /** First wait of a head that comes back {@code behind}; doubles each time. */
    static final long YIELD_MILLIS = 100;

    /** Longest wait of a head that comes back {@code behind}. */
    static final long MAX_YIELD_MILLIS = 30_000;

    private final LaneStore lanes;
    private final ParkedStore parked;
    private final Wakes wakes;
    private final LaneLimits limits;
    private final LaneWatcher watcher;
    private final boolean isCounted;

    /** Of lanes, if they were counted at the start. */
    private long count;

    public Lanes(LaneStore lanes, ParkedStore parked, Wakes wakes, LaneLimits limits, LaneWatcher watcher) {
        this.lanes = lanes;
        this.parked = parked;
        this.wakes = wakes;
        this.limits = limits;
        this.watcher = watcher;
        OptionalInt found = lanes.count();
        this.isCounted = found.isPresent();
        this.count = found.orElse(0);
    }

    /** Whether rows of this lane wait. */
    public boolean isBlocked(LaneKey key) {
        // Asked for every row, and as a rule there is nothing to look for.
        return !(isCounted && count == 0) && lanes.get(key) != null;
    }

    /** The row with the smallest place on a lane, null when the key flows. */
    public @Nullable LaneRow head(LaneKey key) {
        Lane lane = lanes.get(key);
        return lane == null ? null : headOf(key, lane);
    }

    /**
     * Whether a row that comes in is one too many for a lane that keeps its head.
     *
     * @param halts whether the key is to stop at this row's dead letter
     */
    public boolean refuses(LaneKey key, LaneRow row, boolean halts) {
        Lane lane = lanes.get(key);
        return lane != null
                && limits.areExceededBy(lane.rows() + 1, lane.bytes() + row.bytes())
                && (halts || headOf(key, lane).state() == RowState.HALTED)
                && parked.get(key, row.place()) == null;
    }

    /**
     * Something happened to a row: takes it in, then releases what may be released now.
     *
     * @param now milliseconds since the epoch
     * @return what it was to the lane; what is {@link Heard#STALE} must have no effect anywhere else either
     */
    public Heard take(LaneKey key, LaneEvent event, long now, Releaser releaser, Budget budget) {
        LaneRow known = parked.get(key, event.place());
        if (known != null && !event.kind().passes(event.turn(), known.standing().turn())) {
            return Heard.STALE;
        }
        Lane before = lanes.get(key);
        Lane after = apply(key, before, known, event, now);
        after = doubted(key, after, event, now);
        Heard heard = heard(before, known, event);
        long wake = before == null ? Lane.NEVER : before.wakeAt();
        write(key, before, wake, released(key, after, now, releaser, budget), now);
        return heard;
    }

    private static Heard heard(@Nullable Lane before, @Nullable LaneRow known, LaneEvent event) {
        Move move = move(known, event.kind());
        if (move == Move.DROP) {
            return Heard.NOTHING_TO_DO;
        }
        // Once may be a row that is on its way here; twice, after a wait, is one that is not.
        boolean isHeadAgain = move == Move.YIELD
                && known != null
                && before != null
                && known.place().equals(before.head())
                && known.standing().waits() > 0;
        return isHeadAgain ? Heard.MET_A_STRANGER : Heard.CHANGED;
    }

    /** A wake of the lane has come; it is no longer among the {@link Wakes}. */
    public void wake(LaneKey key, long at, long now, Releaser releaser, Budget budget) {
        Lane lane = lanes.get(key);
        if (lane == null || lane.wakeAt() != at) {
            return;
        }
        write(key, lane, Lane.NEVER, released(key, lane, now, releaser, budget), now);
    }

    /** A wake of the lane has come, but there is nobody to release its rows to: looks again later. */
    public void postpone(LaneKey key, long at, long until) {
        Lane lane = lanes.get(key);
        if (lane != null && lane.wakeAt() == at) {
            lanes.put(key, lane.wakingAt(until));
            wakes.add(key, until);
        }
    }

    /** Releases rows from the front as far as the window, their times and the budget go. */
    private @Nullable Lane released(LaneKey key, @Nullable Lane start, long now, Releaser releaser, Budget budget) {
        Lane lane = start;
        while (lane != null) {
            lane = shortened(key, lane);
            LaneRow row = candidate(key, lane);
            if (row == null || row.state() == RowState.HALTED) {
                return (row == null ? lane : lane.with(lane.window().closed())).wakingAt(Lane.NEVER);
            }
            if (row.standing().notBefore() > now) {
                // Nothing is released behind it before it has succeeded, even if it heads the lane only then.
                return lane.with(lane.window().closed()).wakingAt(row.standing().notBefore());
            }
            if (!budget.take()) {
                return lane.wakingAt(now);
            }
            lane = release(key, lane, row, now, releaser);
        }
        return null;
    }

    private @Nullable LaneRow candidate(LaneKey key, Lane lane) {
        Lane.Window window = lane.window();
        if (!window.open()) {
            LaneRow head = headOf(key, lane);
            return isWanted(head) ? head : null;
        }
        return window.inFlight() < limits.window() ? parked.first(key, window.frontier(), Lanes::isWanted) : null;
    }

    /** One to be released, or one that nobody passes. */
    private static boolean isWanted(LaneRow row) {
        return row.state() == RowState.HALTED || move(row, Kind.DUE) == Move.RELEASE;
    }

    private @Nullable Lane release(LaneKey key, Lane lane, LaneRow row, long now, Releaser releaser) {
        LaneRow released = row.with(row.standing().released());
        Lane ahead = lane.with(lane.window().released(row.place()));
        Optional<LaneEvent> answer = releaser.release(key, released);
        if (answer.isPresent()) {
            // Attempted in place: the released state lasted for one call and is never seen in the store.
            return apply(key, ahead, released, answer.get(), now);
        }
        parked.put(key, released);
        return ahead;
    }

    private @Nullable Lane apply(LaneKey key, @Nullable Lane lane, @Nullable LaneRow known, LaneEvent event, long now) {
        Move move = move(known, event.kind());
        return switch (move) {
            case DROP, RELEASE -> lane;
            case LEAVE -> left(key, existing(key, lane), row(key, known), event.kind());
            case ENTER -> entered(key, lane, known, entering(event, now), isStillOpen(event.kind(), known), now);
            case HALT -> entered(key, lane, known, halted(event), false, now);
            case YIELD ->
                entered(key, lane, known, yielding(existing(key, lane), row(key, known), event, now), false, now);
            case REST, RETIME -> entered(key, lane, known, again(move, row(key, known), event), false, now);
            case HURRY, BURY -> entered(key, lane, known, again(move, row(key, known), event), true, now);
        };
    }

    /**
     * A row met another one than the head. The table names the first that waits, so to the table the head does not wait: it stands
     * here by an answer that came after it was done, and would hold the key for its whole wait. Asked now, the table tells; a head
     * that waits rightly is answered {@code early} and goes on waiting. One that backs off keeps its own pace.
     */
    private @Nullable Lane doubted(LaneKey key, @Nullable Lane lane, LaneEvent event, long now) {
        Optional<String> met = event.record().headers().text(HeaderName.BEHIND);
        if (lane == null
                || event.kind() != Kind.BEHIND
                || met.isEmpty()
                || lane.head().equals(event.place())) {
            return lane;
        }
        LaneRow head = headOf(key, lane);
        boolean isMet = head.record().headers().text(HeaderName.CE_ID).equals(met);
        boolean isWaiting = head.standing().notBefore() > now && head.standing().waits() == 0;
        return isWaiting && !isMet
                ? apply(key, lane, head, LaneEvent.of(Kind.HURRIED, head.place(), 0, head.record()), now)
                : lane;
    }

    /** A lane over its limits gives up its head, unless an executor holds it: then the next row that comes in asks again. */
    private Lane shortened(LaneKey key, Lane lane) {
        if (!limits.areExceededBy(lane.rows(), lane.bytes())) {
            return lane;
        }
        LaneRow head = headOf(key, lane);
        boolean isGivenUp = head.standing().burial() != null;
        return isGivenUp || move(head, Kind.OVERFLOWED) != Move.BURY
                ? lane
                : entered(key, lane, head, head.with(head.standing().toBeBuried(Reason.LANE_OVERFLOW)), true, 0);
    }

    private LaneRow headOf(LaneKey key, Lane lane) {
        LaneRow head = parked.get(key, lane.head());
        if (head == null) {
            throw broken(key, "has no row at its head");
        }
        return head;
    }

    private static LaneRow halted(LaneEvent event) {
        return new LaneRow(event.place(), Standing.halted(event.turn(), event.attempts()), event.record());
    }

    private static LaneRow entering(LaneEvent event, long now) {
        long notBefore = event.kind() == Kind.BEHIND ? now : event.notBefore();
        Standing standing =
                new Standing(RowState.WAITING, event.turn(), notBefore, event.attempts(), event.waits(), null);
        return new LaneRow(event.place(), standing, event.record());
    }

    /** A head has nobody before it on this lane, yet it met somebody: he is on his way here, so it asks again, ever more slowly. */
    private static LaneRow yielding(Lane lane, LaneRow row, LaneEvent event, long now) {
        boolean isHead = row.place().equals(lane.head());
        int waits = isHead ? row.standing().waits() + 1 : 0;
        long wait = isHead ? Math.min(MAX_YIELD_MILLIS, YIELD_MILLIS << Math.min(waits - 1, 20)) : 0;
        Standing standing = new Standing(RowState.WAITING, event.turn(), now + wait, event.attempts(), waits, null);
        return new LaneRow(row.place(), standing, event.record());
    }

    /** A row that keeps its record, waiting anew. */
    private static LaneRow again(Move move, LaneRow row, LaneEvent event) {
        Standing before = row.standing();
        return row.with(
                switch (move) {
                    case REST -> before.waitingUntil(event.notBefore());
                    case RETIME ->
                        new Standing(RowState.WAITING, event.turn(), event.notBefore(), event.attempts(), 0, null);
                    case HURRY -> before.waitingUntil(0);
                    case BURY -> before.toBeBuried(Reason.LANE_OVERFLOW);
                    default ->
                        throw new IllegalStateException(move + " does not put a row back; the lane table says so");
                });
    }

    /** What comes in behind the others says nothing of those that are out; what comes back, or is tried anew, does. */
    private static boolean isStillOpen(Kind kind, @Nullable LaneRow known) {
        return known == null && (kind == Kind.ARRIVED || kind == Kind.BEHIND);
    }

    private Lane entered(
            LaneKey key, @Nullable Lane lane, @Nullable LaneRow known, LaneRow row, boolean stillOpen, long now) {
        parked.put(key, row);
        if (lane == null) {
            watcher.rows(1, row.bytes());
            return Lane.around(row, now);
        }
        int more = known == null ? 1 : 0;
        long moreBytes = row.bytes() - (known == null ? 0 : known.bytes());
        watcher.rows(more, moreBytes);
        boolean wasInFlight = known != null && known.state() == RowState.RELEASED;
        return lane.plus(more, moreBytes)
                .headedBy(row.place().compareTo(lane.head()) < 0 ? row.place() : lane.head())
                .with(lane.window().returned(row.place(), stillOpen, wasInFlight));
    }

    private @Nullable Lane left(LaneKey key, Lane lane, LaneRow row, Kind why) {
        parked.delete(key, row.place());
        watcher.rows(-1, -row.bytes());
        if (lane.rows() == 1) {
            return null;
        }
        Lane.Window window = lane.window().settled(row.state() == RowState.RELEASED);
        Lane rest = lane.plus(-1, -row.bytes()).with(window);
        if (!row.place().equals(lane.head())) {
            return rest;
        }
        LaneRow next = parked.first(key, Lane.successor(row.place()), any -> true);
        if (next == null) {
            throw broken(key, "counts " + rest.rows() + " more rows, but has none");
        }
        Lane headed = rest.headedBy(next.place());
        return why == Kind.DONE ? headed.with(headed.window().opened()) : headed;
    }

    /** @param wake of the lane that is still among the {@link Wakes} */
    private void write(LaneKey key, @Nullable Lane before, long wake, @Nullable Lane after, long now) {
        long wanted = after == null ? Lane.NEVER : after.wakeAt();
        if (wake != wanted && wake != Lane.NEVER) {
            wakes.remove(key, wake);
        }
        if (wake != wanted && wanted != Lane.NEVER) {
            wakes.add(key, wanted);
        }
        if (after != null && !after.equals(before)) {
            lanes.put(key, after);
        }
        if (before == null && after != null) {
            count++;
            watcher.blocked(key, after.since());
        }
        if (before != null && after == null) {
            lanes.delete(key);
            count--;
            watcher.flowing(key, before.since(), now);
        }
    }

    private static Move move(@Nullable LaneRow row, Kind kind) {
        return LaneTable.move(row == null ? RowState.ABSENT : row.state(), kind);
    }

    private static Lane existing(LaneKey key, @Nullable Lane lane) {
        if (lane == null) {
            throw broken(key, "is gone, but one of its rows is not");
        }
        return lane;
    }

    private static LaneRow row(LaneKey key, @Nullable LaneRow row) {
        if (row == null) {
            throw broken(key, "moves a row that it does not have");
        }
        return row;
    }

    /** Only a torn store can bring this about: the lane's own transactions cannot. */
    private static UnusableState broken(LaneKey key, String how) {
        return new UnusableState(
                "lane %s %s: the stores do not belong together; delete this instance's state directory, it is rebuilt from Kafka"
                        .formatted(key, how));
    }
}
