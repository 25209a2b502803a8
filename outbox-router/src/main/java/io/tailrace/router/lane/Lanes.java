package io.tailrace.router.lane;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.lane.LaneEvent.Kind;
import io.tailrace.router.lane.LaneTable.Move;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the lanes. A row's way on its lane is the table of {@link LaneTable}; around it:
 *
 * <ul>
 *   <li>The head is the row with the smallest place. Before it has succeeded nothing else is released.
 *   <li>When the head is done the window opens: rows are released in place order ahead of their answers, up to
 *       {@link LaneLimits#window()}. A released row that comes back, one that is tried anew, or one that waits until later closes it.
 *   <li>A row at which its key stops lets nobody pass, until it is replayed or skipped.
 *   <li>A head that was released and is not answered is released again, at the same turn, ever more rarely.
 *   <li>A lane that is over its limits gives up its head, as often as it takes, if the head failed and waits to be tried again. One that
 *       waits for a destination is no reason, however long that takes.
 *   <li>A lane that has lost its last row is gone, and the key flows.
 * </ul>
 *
 * <p>A {@link Change} has two halves. {@link #hear} takes the event in, in memory, and may be thrown away: until then nothing has
 * happened. {@link #settle} releases what may go now and writes all of it, in the transaction of the record or timer that caused it: a
 * crash takes back cause and change together. For use by one stream thread.
 */
public final class Lanes {

    /** First wait of a head that comes back {@code behind}; doubles each time. */
    static final long YIELD_MILLIS = 100;

    /** Longest wait of a head that comes back {@code behind}. */
    static final long MAX_YIELD_MILLIS = 30_000;

    /** Time for an answer: three times the longest run of a handler. Doubles each time, since executors that are down are no reason. */
    static final long SILENCE_MILLIS = 900_000;

    /** Longest time for an answer. */
    static final long MAX_SILENCE_MILLIS = 4 * 3_600_000;

    /** Rows that are released within one step are asked for at one instant, and their lane keeps its wake. */
    static final long SILENCE_STEP_MILLIS = 60_000;

    private final Stores stores;
    private final LaneLimits limits;

    public Lanes(LaneStore lanes, ParkedStore parked, Wakes wakes, LaneLimits limits, LaneWatcher watcher) {
        this.stores = new Stores(lanes, LaneCount.of(lanes), parked, wakes, watcher);
        this.limits = limits;
    }

    /** Whether rows of this lane wait. */
    public boolean isBlocked(LaneKey key) {
        // Asked for every row, and as a rule there is nothing to look for.
        return !stores.count().isNone() && stores.lanes().get(key) != null;
    }

    /** The row with the smallest place on a lane, null when the key flows. */
    public @Nullable LaneRow head(LaneKey key) {
        Change look = Change.of(stores, key, 0);
        return look.lane() == null ? null : look.head();
    }

    /** The row at a place of a lane, null when there is none. */
    public @Nullable LaneRow row(LaneKey key, Place place) {
        return Change.of(stores, key, 0).row(place);
    }

    /**
     * Whether a row that comes in is one too many for a lane that keeps its head.
     *
     * @param halts whether the key is to stop at this row's dead letter
     * @param now milliseconds since the epoch
     */
    public boolean refuses(LaneKey key, LaneRow row, boolean halts, long now) {
        Change look = Change.of(stores, key, now);
        Lane lane = look.lane();
        if (lane == null || !limits.areExceededBy(lane.rows() + 1, lane.bytes() + row.bytes())) {
            return false;
        }
        LaneRow head = look.head();
        boolean isKept = head.state() == RowState.HALTED || (halts && isAtFault(key, head, now));
        return isKept && look.row(row.place()) == null;
    }

    /**
     * Whether a lane is long because of its head, which failed and waits. Else it is as long as an outage lasts: its head waits for a
     * destination, or for somebody before it, and nobody is given up for that; or that is over, and its head is about to go.
     */
    private static boolean isAtFault(LaneKey key, LaneRow head, long now) {
        Standing standing = head.standing();
        boolean waitsForOthers = key.sort() == LaneKey.Sort.DESTINATION || standing.waits() > 0;
        return head.state() == RowState.WAITING
                && !waitsForOthers
                && standing.burial() == null
                && standing.notBefore() > now;
    }

    /**
     * Takes in what happened to a row. Nothing is written: to be settled, or thrown away.
     *
     * @param now milliseconds since the epoch
     */
    public Change hear(LaneKey key, LaneEvent event, long now) {
        Change change = Change.of(stores, key, now);
        LaneRow known = change.row(event.place());
        if (known != null && !event.kind().passes(event.turn(), known.standing().turn())) {
            change.heardAs(Heard.STALE);
            return change;
        }
        change.heardAs(heard(change.before(), known, event));
        apply(change, known, event);
        doubt(change, event);
        return change;
    }

    /**
     * Releases what may go now, and writes. A releaser may settle another lane meanwhile, never this one: it would be overwritten.
     */
    public void settle(Change change, Releaser releaser, Budget budget) {
        if (change.heard() != Heard.STALE) {
            release(change, releaser, budget);
            change.write();
        }
    }

    /** A wake of the lane has come; it is no longer among the {@link Wakes}. */
    public void wake(LaneKey key, long at, long now, Releaser releaser, Budget budget) {
        Change change = Change.woken(stores, key, at, now);
        if (change != null) {
            settle(change, releaser, budget);
        }
    }

    /** A wake of the lane has come, but there is nobody to release its rows to: looks again later. */
    public void postpone(LaneKey key, long at, long until) {
        Change change = Change.woken(stores, key, at, at);
        if (change != null) {
            change.become(change.existing().wakingAt(until));
            change.write();
        }
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

    /** Releases rows from the front as far as the window, their times and the budget go. */
    private void release(Change change, Releaser releaser, Budget budget) {
        while (change.lane() != null) {
            shorten(change);
            LaneRow row = next(change);
            if (row == null || row.state() == RowState.HALTED || row.standing().notBefore() > change.now()) {
                rest(change, row);
                return;
            }
            if (!budget.take()) {
                change.become(change.existing().wakingAt(change.now()));
                return;
            }
            handOut(change, row, releaser);
        }
    }

    /** Who is the next to go, at his hour; one whom nobody passes; or null, when all wait for an answer. */
    private @Nullable LaneRow next(Change change) {
        Lane.Window window = change.existing().window();
        LaneRow head = change.head();
        boolean isOverdue = head.standing().notBefore() <= change.now() && move(head, Kind.DUE) == Move.REPEAT;
        if (isOverdue || isWanted(head)) {
            return head;
        }
        return window.open() && window.inFlight() < limits.window()
                ? change.first(window.frontier(), Lanes::isWanted)
                : null;
    }

    /** One to be released, or one that nobody passes. */
    private static boolean isWanted(LaneRow row) {
        return row.state() == RowState.HALTED || move(row, Kind.DUE) == Move.RELEASE;
    }

    /** Nobody goes now. Behind a row that waits nothing is released before it has succeeded, even if it heads the lane only then. */
    private static void rest(Change change, @Nullable LaneRow next) {
        Lane lane = change.existing();
        LaneRow head = change.head();
        boolean isAwaited = head.state() == RowState.RELEASED || (next != null && next.state() != RowState.HALTED);
        long wakeAt = isAwaited ? head.standing().notBefore() : Lane.NEVER;
        change.become((next == null ? lane : lane.with(lane.window().closed())).wakingAt(wakeAt));
    }

    private static void handOut(Change change, LaneRow row, Releaser releaser) {
        Lane lane = change.existing();
        boolean isRepeated = move(row, Kind.DUE) == Move.REPEAT;
        int silences = isRepeated ? row.standing().waits() + 1 : 0;
        long overdue = overdue(change.now(), silences);
        LaneRow out = row.with(
                isRepeated ? row.standing().askedAgain(overdue) : row.standing().released(overdue));
        if (!isRepeated) {
            change.become(lane.with(lane.window().released(row.place())));
        }
        Optional<LaneEvent> answer = releaser.release(change.key(), row);
        if (answer.isPresent()) {
            // Attempted in place: the released state lasted for one call and is never seen in the store.
            apply(change, out, answer.get());
        } else {
            change.put(out);
        }
    }

    private static long overdue(long now, int silences) {
        long at = now + Math.min(MAX_SILENCE_MILLIS, SILENCE_MILLIS << Math.min(silences, 10));
        return at - at % SILENCE_STEP_MILLIS + SILENCE_STEP_MILLIS;
    }

    private static void apply(Change change, @Nullable LaneRow known, LaneEvent event) {
        Kind kind = event.kind();
        Move move = move(known, kind);
        switch (move) {
            case DROP, RELEASE, REPEAT -> {}
            case LEAVE -> leave(change, present(change, known), kind);
            case ENTER -> enter(change, known, entering(event, change.now()), isStillOpen(kind, known));
            case HALT -> enter(change, known, halted(event), false);
            case YIELD -> enter(change, known, yielding(change, present(change, known), event), false);
            case REST, RETIME -> enter(change, known, again(move, present(change, known), event), false);
            case HURRY, BURY -> enter(change, known, again(move, present(change, known), event), true);
        }
    }

    /**
     * A row met another one than the head. The table names the first that waits, so to the table the head does not wait: it stands
     * here by an answer that came after it was done, and would hold the key for its whole wait. Asked now, the table tells; a head
     * that waits rightly is answered {@code early} and goes on waiting. One that backs off keeps its own pace.
     */
    private static void doubt(Change change, LaneEvent event) {
        Optional<String> met = event.record().headers().text(HeaderName.BEHIND);
        if (change.lane() == null
                || event.kind() != Kind.BEHIND
                || met.isEmpty()
                || change.existing().head().equals(event.place())) {
            return;
        }
        LaneRow head = change.head();
        boolean isMet = head.record().headers().text(HeaderName.CE_ID).equals(met);
        boolean isWaiting =
                head.standing().notBefore() > change.now() && head.standing().waits() == 0;
        if (isWaiting && !isMet) {
            apply(change, head, LaneEvent.of(Kind.HURRIED, head.place(), 0, head.record()));
        }
    }

    /**
     * A lane over its limits gives up the head that is to blame for it. One that an executor holds is not taken from him: the next row
     * that comes in asks again.
     */
    private void shorten(Change change) {
        Lane lane = change.existing();
        if (!limits.areExceededBy(lane.rows(), lane.bytes())) {
            return;
        }
        LaneRow head = change.head();
        if (isAtFault(change.key(), head, change.now())) {
            apply(change, head, LaneEvent.of(Kind.OVERFLOWED, head.place(), 0, head.record()));
        }
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
    private static LaneRow yielding(Change change, LaneRow row, LaneEvent event) {
        boolean isHead = row.place().equals(change.existing().head());
        int waits = isHead ? row.standing().waits() + 1 : 0;
        long wait = isHead ? Math.min(MAX_YIELD_MILLIS, YIELD_MILLIS << Math.min(waits - 1, 20)) : 0;
        Standing standing =
                new Standing(RowState.WAITING, event.turn(), change.now() + wait, event.attempts(), waits, null);
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

    private static void enter(Change change, @Nullable LaneRow known, LaneRow row, boolean stillOpen) {
        change.put(row);
        Lane lane = change.lane();
        if (lane == null) {
            change.become(Lane.around(row, change.now()));
            return;
        }
        boolean isFirst = row.place().compareTo(lane.head()) < 0;
        boolean wasInFlight = known != null && known.state() == RowState.RELEASED;
        change.become(lane.plus(known == null ? 1 : 0, row.bytes() - (known == null ? 0 : known.bytes()))
                .headedBy(isFirst ? row.place() : lane.head())
                .with(lane.window().returned(row.place(), stillOpen, wasInFlight)));
    }

    private static void leave(Change change, LaneRow row, Kind why) {
        Lane lane = change.existing();
        change.remove(row.place());
        if (lane.rows() == 1) {
            change.become(null);
            return;
        }
        Lane.Window window = lane.window().settled(row.state() == RowState.RELEASED);
        Lane rest = lane.plus(-1, -row.bytes());
        if (row.place().equals(lane.head())) {
            rest = rest.headedBy(follower(change, row.place(), rest.rows()));
            window = why == Kind.DONE ? window.opened() : window;
        }
        change.become(rest.with(window));
    }

    private static Place follower(Change change, Place place, int rows) {
        LaneRow next = change.first(Lane.successor(place), any -> true);
        if (next == null) {
            throw change.broken("counts " + rows + " more rows, but has none");
        }
        return next.place();
    }

    private static Move move(@Nullable LaneRow row, Kind kind) {
        return LaneTable.move(row == null ? RowState.ABSENT : row.state(), kind);
    }

    private static LaneRow present(Change change, @Nullable LaneRow row) {
        if (row == null) {
            throw change.broken("moves a row that it does not have");
        }
        return row;
    }
}
