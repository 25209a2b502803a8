package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Letter;
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
import io.tailrace.router.past.Passed;
import io.tailrace.router.redact.Redaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
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

    /** Where rows that wait are shown. */
    private final String retryTopic;

    private final HaltedHeads operators;

    /** @param redaction of copies on the audit feed */
    public EventFlow(Surroundings around, Decider decider, Parking parking, Redaction redaction) {
        this.around = around;
        this.decider = decider;
        this.parking = parking;
        this.redaction = redaction;
        this.retryTopic = redaction.topics().retry(Topics.EVENTS);
        this.operators = new HaltedHeads(around, parking);
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
                        this::park);
    }

    /** Attempts the row at once, or lets it wait behind those of its key. */
    private Deed admit(Decoded event, LaneEvent.Kind how) {
        LaneKey lane = laneOf(event);
        LaneRow row = LaneRow.fresh(event.seq(), event.record());
        if (around.lanes().isBlocked(lane)) {
            return around.lanes().refuses(lane, row, halts(lane, row.record()))
                    ? park(row, Reason.LANE_OVERFLOW, Overflow.TRAIL, Overflow.STAGE)
                    : Deed.settle(hear(lane, LaneEvent.of(how, row.place(), 0, row.record())));
        }
        Decision decision = decide(event, Standing.FRESH);
        Act act = act(event, row, decision);
        boolean staysHere =
                act.outcome().kind() == LaneEvent.Kind.FAILED || act.outcome().kind() == LaneEvent.Kind.HALTED;
        return staysHere ? act.deed().and(settleDown(home(event, decision), row, act.outcome())) : act.deed();
    }

    /** Attempts a row of a lane in place. */
    @Override
    public Attempt attempt(LaneKey lane, LaneRow row) {
        Reason burial = row.standing().burial();
        if (burial != null) {
            return new Attempt(park(row, burial, Overflow.TRAIL, Overflow.STAGE), outcome(LaneEvent.Kind.DEAD, row));
        }
        return ON_A_LANE
                .decode(row.record())
                .match(event -> attempt(lane, row, event), malformed -> new Attempt(park(malformed), given(lane, row)));
    }

    /** The row is in hand: it leaves its lane with the error on it, and the lane goes on. */
    @Override
    public Attempt giveUp(LaneKey lane, LaneRow row, ErrorTrail bug) {
        return new Attempt(park(row, Reason.TIMER_ERROR, bug, "timer"), given(lane, row));
    }

    private Attempt attempt(LaneKey lane, LaneRow row, Decoded event) {
        Decision decision = decide(event, row.standing());
        Act act = act(event, row, decision);
        LaneKey home = home(event, decision);
        if (act.outcome().kind() != LaneEvent.Kind.FAILED || home.equals(lane)) {
            return new Attempt(act.deed(), act.outcome());
        }
        // Rows that only waited for a destination together part when it is back and they fail for reasons of their own.
        return new Attempt(act.deed().and(settleDown(home, row, act.outcome())), outcome(LaneEvent.Kind.DONE, row));
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

    private Decision decide(Decoded row, Standing standing) {
        Decoded event = withLateness(row);
        double chance = around.chance().nextDouble();
        return decider.decide(event, standing.attempts(), standing.waits(), now(), chance);
    }

    /** What a decision comes to for the row itself: the deed, and what it is to a lane. */
    private record Act(Deed deed, LaneEvent outcome) {}

    private Act act(Decoded event, LaneRow row, Decision decision) {
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
                                () -> delivered(event, took, row.standing().attempts())),
                        outcome(LaneEvent.Kind.DONE, row));
            }

            @Override
            public Act await(Decision.Wait wait) {
                Standing standing = row.standing();
                boolean isFirst = wait.known() && standing.waits() == 0;
                Deed shown = isFirst
                        ? Deed.send(shown(event.record(), event.seq(), standing.attempts(), wait.until()))
                        : Deed.NONE;
                int waits = standing.waits() + (wait.known() ? 1 : 0);
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
                Letter letter = parking.letter(
                        event.record(),
                        event.rowId(),
                        new Verdict(dead.reason(), dead.attempts(), dead.error(), dead.stage(), event.seq()));
                LaneKey lane = laneOf(event);
                Runnable after = () -> {
                    parking.parked(letter);
                    around.metrics().settledAfter(dead.attempts());
                    mark(lane, event.seq(), event.record());
                };
                return new Act(Deed.send(letter.record(), after), given(lane, row));
            }
        });
    }

    private void delivered(Decoded event, Duration took, int attempts) {
        remember(event);
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

    /** Parked as it came. */
    Deed park(Malformed malformed) {
        RawRecord record = malformed.record();
        if (record.headers().kind().filter(Kind.CONTROL::equals).isPresent()) {
            return Words.unreadable(malformed, parking);
        }
        Verdict verdict = new Verdict(malformed.reason(), 1, malformed.error(), malformed.stage(), malformed.seq());
        return parked(parking.letter(record, malformed.rowId(), verdict));
    }

    /** A row that cannot be read stops its key as any other does, if its name, its key and its place can be. */
    private Deed parkOnArrival(Malformed malformed) {
        Deed parked = park(malformed);
        Place seq = malformed.seq();
        Optional<LaneKey> lane = ofRow(malformed.record());
        if (seq == null || lane.isEmpty() || !halts(lane.get(), malformed.record())) {
            return parked;
        }
        LaneRow row = LaneRow.fresh(seq, malformed.record());
        return parked.and(hear(lane.get(), outcome(LaneEvent.Kind.HALTED, row)));
    }

    private Deed park(LaneRow row, Reason reason, ErrorTrail error, String stage) {
        RawRecord record = row.record();
        String rowId = record.headers().text(HeaderName.CE_ID).orElseGet(record::origin);
        Verdict verdict = new Verdict(reason, row.standing().attempts(), error, stage, row.place());
        return parked(parking.letter(record, rowId, verdict));
    }

    private Deed parked(Letter letter) {
        return Deed.send(letter.record(), () -> {
            parking.parked(letter);
            Place seq = letter.verdict().seq();
            if (seq != null) {
                ofRow(letter.row()).ifPresent(lane -> mark(lane, seq, letter.row()));
            }
        });
    }

    private static Optional<LaneKey> ofRow(RawRecord record) {
        Headers headers = record.headers();
        return headers.text(HeaderName.CE_SOURCE)
                .flatMap(source -> headers.text(HeaderName.CE_PARTITIONKEY)
                        .map(key -> LaneKey.of(Topics.EVENTS, source, key, "")));
    }

    /** The row is given up: its key goes on, or stops here. */
    private LaneEvent given(LaneKey lane, LaneRow row) {
        return outcome(halts(lane, row.record()) ? LaneEvent.Kind.HALTED : LaneEvent.Kind.DEAD, row);
    }

    private boolean halts(LaneKey lane, RawRecord record) {
        return lane.sort() == LaneKey.Sort.KEYED && decider.haltsKey(record.headers());
    }

    /** What it takes to tell later whether the row, replayed, comes behind newer ones. */
    private void mark(LaneKey lane, Place seq, RawRecord record) {
        if (lane.sort() == LaneKey.Sort.KEYED) {
            around.past().passed().died(lane, seq, isReplay(record));
        }
    }

    private void remember(Decoded delivered) {
        if (delivered.orderingKey() == null) {
            return;
        }
        Passed passed = around.past().passed();
        passed.delivered(laneOf(delivered), delivered.seq());
        if (isReplay(delivered.record())) {
            passed.redeemed(laneOf(delivered));
        }
    }

    /** A replayed row says whether newer rows of its key were delivered before it, each time it is looked at. */
    private Decoded withLateness(Decoded event) {
        if (!isReplay(event.record()) || event.orderingKey() == null) {
            return event;
        }
        boolean isLate = around.past().passed().isLate(laneOf(event), event.seq());
        Headers headers = event.record().headers();
        return event.with(isLate ? headers.with(HeaderName.LATE, "true") : headers.without(HeaderName.LATE));
    }

    private static boolean isReplay(RawRecord record) {
        return record.headers().text(HeaderName.REPLAY_ID).isPresent();
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
        Optional<String> committed = event.record().headers().text(HeaderName.CE_TIME);
        OptionalLong at = committed.isPresent() ? CommitTime.millis(committed.get()) : OptionalLong.empty();
        return at.isPresent() ? Duration.ofMillis(Math.max(0, now() - at.getAsLong())) : Duration.ZERO;
    }

    private long now() {
        return around.clock().millis();
    }
}
