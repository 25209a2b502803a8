package io.tailrace.router.flow;

import io.tailrace.contract.header.CommitTime;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.OneLine;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decide.Decision;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.Decoder;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.lane.Change;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.Standing;
import io.tailrace.router.redact.Redaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events: the router's own rows. A row whose key flows is attempted at once; one that fails blocks its key, and those that follow it
 * wait on the lane, from which they are attempted in place, one after the other.
 */
public final class EventFlow implements Attempts {

    private static final Logger LOG = LoggerFactory.getLogger(EventFlow.class);

    private static final Decoder RAW = Decoder.ofRaw(Kind.EVENT);

    private static final Decoder RETURNED = Decoder.ofReturned(Kind.REPLAY, Kind.CONTROL);

    private static final Decoder ON_A_LANE = Decoder.ofReturned(Kind.EVENT, Kind.REPLAY);

    private static final Set<Kind> NOTES = EnumSet.of(Kind.WAITING, Kind.DONE);

    private final Surroundings around;
    private final Decider decider;
    private final Parking parking;
    private final Redaction redaction;
    private final HaltedHeads operators;
    private final Lateness lateness;
    private final Endings endings;

    /** Where rows that wait are shown. */
    private final String retryTopic;

    /** @param redaction of copies on the audit feed */
    public EventFlow(Surroundings around, Decider decider, Parking parking, Redaction redaction) {
        this.around = around;
        this.decider = decider;
        this.parking = parking;
        this.redaction = redaction;
        this.retryTopic = redaction.topics().retry(Topics.EVENTS);
        this.operators = new HaltedHeads(Topics.EVENTS, around, parking);
        this.lateness = new Lateness(around.past().passed());
        this.endings = new Endings(decider, parking, lateness);
    }

    /** A row as it was committed. */
    Deed arrived(RawRecord record) {
        return RAW.decode(record).match(event -> admit(event, LaneEvent.Kind.ARRIVED), this::parkOnArrival);
    }

    /**
     * What comes back through the retry topic: replays, and operators' words to halted heads. Our own notes of rows that wait or are done
     * pass by.
     */
    Deed returned(RawRecord record) {
        if (record.headers().kind().filter(NOTES::contains).isPresent()) {
            return Deed.NONE;
        }
        return RETURNED.decode(record)
                .match(
                        word -> word.kind() == Kind.CONTROL
                                ? operators.hear(word)
                                : admit(anew(word), LaneEvent.Kind.REVIVED),
                        this::parkOnArrival);
    }

    /** Attempts the row at once, or lets it wait behind those of its key. */
    private Deed admit(Decoded event, LaneEvent.Kind how) {
        LaneKey lane = laneOf(event);
        LaneRow row = LaneRow.fresh(event.seq(), event.record());
        if (around.lanes().isBlocked(lane)) {
            return around.lanes().refuses(lane, row, endings.halts(lane, row.record()), now())
                    ? stop(lane, overflow(lane, row, Reason.LANE_OVERFLOW))
                    : Deed.settle(hear(lane, LaneEvent.of(how, row.place(), 0, row.record())));
        }
        Decision decision = decide(lane, event, Standing.FRESH);
        Act act = act(lane, event, row, decision);
        boolean staysHere =
                act.outcome().kind() == LaneEvent.Kind.FAILED || act.outcome().kind() == LaneEvent.Kind.HALTED;
        return staysHere ? act.deed().and(settleDown(home(event, decision), row, act.outcome())) : act.deed();
    }

    /** Attempts a row of a lane in place. */
    @Override
    public Attempt attempt(LaneKey lane, LaneRow row) {
        Reason burial = row.standing().burial();
        Act act = burial != null
                ? overflow(lane, row, burial)
                : ON_A_LANE
                        .decode(row.record())
                        .match(event -> attempt(lane, row, event), malformed -> endings.of(lane, row, malformed));
        return new Attempt(act.deed(), act.outcome());
    }

    /** The row is in hand: it leaves its lane with the error on it, and the lane goes on. */
    @Override
    public Attempt giveUp(LaneKey lane, LaneRow row, ErrorTrail bug) {
        Act act = endings.of(lane, row, Reason.TIMER_ERROR, bug, "timer");
        return new Attempt(act.deed(), act.outcome());
    }

    private Act attempt(LaneKey lane, LaneRow row, Decoded event) {
        Decision decision = decide(lane, event, row.standing());
        Act act = act(lane, event, row, decision);
        if (act.outcome().kind() != LaneEvent.Kind.FAILED) {
            return act;
        }
        LaneKey home = home(event, decision);
        if (home.equals(lane)) {
            return act;
        }
        // Rows that only waited for a destination together part when it is back and they fail for reasons of their own.
        return new Act(act.deed().and(settleDown(home, row, act.outcome())), outcome(LaneEvent.Kind.DONE, row));
    }

    /** Onto a lane: as its head if it is the first, else behind the others until they are through. */
    private Change settleDown(LaneKey lane, LaneRow row, LaneEvent outcome) {
        boolean isFirst = !around.lanes().isBlocked(lane);
        return hear(lane, isFirst ? outcome : LaneEvent.of(LaneEvent.Kind.ARRIVED, row.place(), 0, row.record()));
    }

    private Change hear(LaneKey lane, LaneEvent event) {
        return around.lanes().hear(lane, event, now());
    }

    /** Rows without a key wait for a destination together; any other row waits on its own lane, whatever it waits for. */
    private static LaneKey home(Decoded event, Decision decision) {
        boolean isAlone = event.orderingKey() == null;
        return isAlone && decision instanceof Decision.Wait wait
                ? LaneKey.ofDestination(Topics.EVENTS, event.source(), wait.destination())
                : laneOf(event);
    }

    private static LaneKey laneOf(Decoded event) {
        return LaneKey.of(Topics.EVENTS, event.source(), event.orderingKey(), event.rowId());
    }

    private Decision decide(LaneKey lane, Decoded row, Standing standing) {
        Decoded event = lateness.tell(lane, row);
        double chance = around.chance().nextDouble();
        return decider.decide(event, standing.attempts(), timesFoundDown(standing), now(), chance);
    }

    /** The first wait stands for all those for a look at the destination: who waits for that is as little at fault as who waits for the destination. */
    private static int timesFoundDown(Standing standing) {
        return Math.max(0, standing.waits() - 1);
    }

    private Act act(LaneKey lane, Decoded event, LaneRow row, Decision decision) {
        return decision.match(new Decision.Cases<>() {
            @Override
            public Act publish(Decision.Publish publish) {
                List<Outgoing> records = new ArrayList<>(publish.records());
                if (publish.audited()) {
                    records.add(redaction.auditCopy(event, publish.records()));
                }
                redaction.doneNote(event).ifPresent(records::add);
                Duration took = sinceCommit(event);
                return new Act(
                        Deed.send(
                                records,
                                () -> delivered(
                                        lane, event, took, row.standing().attempts())),
                        outcome(LaneEvent.Kind.DONE, row));
            }

            @Override
            public Act await(Decision.Wait wait) {
                Standing standing = row.standing();
                int timesFoundDown = timesFoundDown(standing);
                boolean isFirst = wait.known() && timesFoundDown == 0;
                Deed shown = isFirst
                        ? Deed.send(shown(event.record(), event.seq(), standing.attempts(), wait.until()))
                        : Deed.NONE;
                int waits = 1 + timesFoundDown + (wait.known() ? 1 : 0);
                return new Act(shown, failed(row, event.record(), wait.until(), standing.attempts(), waits));
            }

            @Override
            public Act retry(Decision.Retry retry) {
                RawRecord record = withTrail(event.record(), retry);
                return new Act(
                        Deed.send(
                                shown(record, event.seq(), retry.attempts(), retry.at()), () -> retried(event, retry)),
                        failed(row, record, retry.at(), retry.attempts(), 0));
            }

            @Override
            public Act deadLetter(Decision.DeadLetter dead) {
                Verdict verdict = new Verdict(dead.reason(), dead.attempts(), dead.error(), dead.stage(), event.seq());
                Act end = endings.of(lane, row, event.rowId(), verdict);
                Runnable counted = () -> around.metrics().settledAfter(dead.attempts());
                return new Act(end.deed().then(counted), end.outcome());
            }
        });
    }

    private void delivered(LaneKey lane, Decoded event, Duration took, int attempts) {
        lateness.delivered(lane, event);
        around.metrics().routed(Topics.EVENTS, took);
        around.metrics().settledAfter(attempts);
    }

    private void retried(Decoded event, Decision.Retry retry) {
        around.metrics().retried(Topics.EVENTS);
        LOG.warn(
                "Attempt failed: rowId={} key={} attempt={} reason={} name={}; tried again at {}, its key waits",
                OneLine.of(event.rowId()),
                OneLine.of(event.orderingKey()),
                retry.attempts(),
                retry.cause(),
                OneLine.of(event.name()),
                Instant.ofEpochMilli(retry.at()));
    }

    /**
     * Parks what cannot be read or brings about a bug, as it came, whichever topic it came from. It stops its key as any other row does,
     * if its id, its name, its key and its place can be read: without an id no operator could name it.
     */
    Deed parkOnArrival(Malformed malformed) {
        RawRecord record = malformed.record();
        if (record.headers().kind().filter(Kind.CONTROL::equals).isPresent()) {
            return Words.unreadable(malformed, parking);
        }
        Place seq = malformed.seq();
        if (seq == null) {
            return endings.withoutPlace(malformed);
        }
        LaneKey lane = Endings.laneOf(malformed);
        return stop(lane, endings.of(lane, LaneRow.fresh(seq, record), malformed));
    }

    private Act overflow(LaneKey lane, LaneRow row, Reason reason) {
        return endings.of(lane, row, reason, Overflow.TRAIL, Overflow.STAGE);
    }

    /** The end of a row that is on no lane: nothing to its key, unless that is to stop. */
    private Deed stop(LaneKey lane, Act end) {
        return end.outcome().kind() == LaneEvent.Kind.HALTED ? end.deed().and(hear(lane, end.outcome())) : end.deed();
    }

    private Outgoing shown(RawRecord record, Place seq, int attempts, long until) {
        return Compose.waiting(record, seq, retryTopic, attempts, until);
    }

    /** A full new budget; what is known of the last failure stays until the row succeeds or fails anew. */
    private static Decoded anew(Decoded event) {
        return event.with(event.record().headers().without(HeaderName.ATTEMPT));
    }

    private RawRecord withTrail(RawRecord record, Decision.Retry retry) {
        String now = Long.toString(now());
        Headers headers = record.headers();
        return record.with(Compose.withError(headers.toBuilder(), retry.error())
                .put(HeaderName.REASON, retry.cause().text())
                .put(HeaderName.STAGE, "decide")
                .put(HeaderName.ATTEMPT, retry.attempts())
                .put(HeaderName.FAILED_AT, now)
                .put(
                        HeaderName.FIRST_FAILED_AT,
                        headers.text(HeaderName.FIRST_FAILED_AT).orElse(now))
                .build());
    }

    private static LaneEvent failed(LaneRow row, RawRecord record, long until, int attempts, int waits) {
        int turn = row.standing().turn() + 1;
        return new LaneEvent(LaneEvent.Kind.FAILED, row.place(), turn, until, attempts, waits, record);
    }

    private static LaneEvent outcome(LaneEvent.Kind kind, LaneRow row) {
        return LaneEvent.of(kind, row.place(), row.standing().turn(), row.record());
    }

    /** Nothing, if the record does not say when it was committed, or says an instant that no clock can show. */
    private Duration sinceCommit(Decoded event) {
        OptionalLong at = CommitTime.of(event.record().headers());
        return at.isPresent() ? Duration.ofMillis(Math.max(0, now() - at.getAsLong())) : Duration.ZERO;
    }

    private long now() {
        return around.clock().millis();
    }
}
