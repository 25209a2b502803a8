package io.tailrace.router.flow;

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
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.Releaser;
import io.tailrace.router.lane.Standing;
import io.tailrace.router.past.Passed;
import io.tailrace.router.redact.Redaction;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events: the router's own rows. A row whose key flows is attempted at once; one that fails blocks its key, and those that follow it
 * wait on the lane, from which they are attempted in place, one after the other.
 */
public final class EventFlow implements Releaser {

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
        this.operators = new HaltedHeads(around, parking, this);
    }

    /** A row as it was committed. */
    void arrived(RawRecord record, Budget budget) {
        RAW.decode(record)
                .handle(
                        event -> admit(event, LaneEvent.Kind.ARRIVED, budget),
                        malformed -> parkOnArrival(malformed, budget));
    }

    /**
     * What comes back through the retry topic: replays, and operators' words to halted heads. Our own notes of rows that wait or are done
     * pass by.
     */
    void returned(RawRecord record, Budget budget) {
        if (record.headers().kind().filter(NOTES::contains).isPresent()) {
            return;
        }
        RETURNED.decode(record)
                .handle(
                        word -> {
                            if (word.kind() == Kind.CONTROL) {
                                operators.hear(word, budget);
                            } else {
                                admit(anew(word), LaneEvent.Kind.REVIVED, budget);
                            }
                        },
                        this::park);
    }

    /** Attempts a row of a lane in place. */
    @Override
    public Optional<LaneEvent> release(LaneKey lane, LaneRow row) {
        try {
            return Optional.of(attemptOrGiveUp(lane, row));
        } catch (RuntimeException error) {
            if (around.isSystemic().test(error)) {
                throw error;
            }
            // The row is in hand: it leaves its lane with the error on it, and the lane goes on.
            park(row, Reason.TIMER_ERROR, ErrorTrail.of(error), "timer");
            return Optional.of(given(lane, row));
        }
    }

    /** Attempts the row at once, or lets it wait behind those of its key. */
    private void admit(Decoded event, LaneEvent.Kind how, Budget budget) {
        LaneKey lane = laneOf(event);
        LaneRow row = LaneRow.fresh(event.seq(), event.record());
        if (around.lanes().isBlocked(lane)) {
            if (around.lanes().refuses(lane, row, halts(lane, row.record()))) {
                park(row, Reason.LANE_OVERFLOW, Overflow.TRAIL, Overflow.STAGE);
            } else {
                tell(lane, LaneEvent.of(how, row.place(), 0, row.record()), budget);
            }
            return;
        }
        Decision decision = decide(event, Standing.FRESH);
        LaneEvent outcome = act(event, row, decision);
        if (outcome.kind() == LaneEvent.Kind.FAILED || outcome.kind() == LaneEvent.Kind.HALTED) {
            settleDown(home(event, decision), row, outcome, budget);
        }
    }

    private LaneEvent attemptOrGiveUp(LaneKey lane, LaneRow row) {
        Reason burial = row.standing().burial();
        if (burial != null) {
            park(row, burial, Overflow.TRAIL, Overflow.STAGE);
            return outcome(LaneEvent.Kind.DEAD, row);
        }
        return ON_A_LANE.decode(row.record()).match(event -> attempt(lane, row, event), malformed -> {
            park(malformed);
            return given(lane, row);
        });
    }

    private LaneEvent attempt(LaneKey lane, LaneRow row, Decoded event) {
        Decision decision = decide(event, row.standing());
        LaneEvent outcome = act(event, row, decision);
        if (outcome.kind() != LaneEvent.Kind.FAILED) {
            return outcome;
        }
        LaneKey home = home(event, decision);
        if (home.equals(lane)) {
            return outcome;
        }
        // Rows that only waited for a destination together part when it is back and they fail for reasons of their own.
        settleDown(home, row, outcome, new Budget(0, 0, around.clock()::millis));
        return outcome(LaneEvent.Kind.DONE, row);
    }

    /** Onto a lane: as its head if it is the first, else behind the others until they are through. */
    private void settleDown(LaneKey lane, LaneRow row, LaneEvent outcome, Budget budget) {
        boolean isFirst = !around.lanes().isBlocked(lane);
        tell(lane, isFirst ? outcome : LaneEvent.of(LaneEvent.Kind.ARRIVED, row.place(), 0, row.record()), budget);
    }

    private void tell(LaneKey lane, LaneEvent event, Budget budget) {
        around.lanes().take(lane, event, now(), this, budget);
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

    private LaneEvent act(Decoded event, LaneRow row, Decision decision) {
        return decision.match(new Decision.Cases<>() {
            @Override
            public LaneEvent publish(Decision.Publish publish) {
                publish.records().forEach(around.outbound()::send);
                if (publish.audited()) {
                    around.outbound().send(redaction.auditCopy(event, publish.records()));
                }
                redaction.doneNote(event).ifPresent(around.outbound()::send);
                remember(event);
                around.metrics().routed(Topics.EVENTS, sinceCommit(event));
                around.metrics().settledAfter(row.standing().attempts());
                return outcome(LaneEvent.Kind.DONE, row);
            }

            @Override
            public LaneEvent await(Decision.Wait wait) {
                Standing standing = row.standing();
                if (wait.known() && standing.waits() == 0) {
                    show(event.record(), event.seq(), standing.attempts(), wait.until());
                }
                int waits = standing.waits() + (wait.known() ? 1 : 0);
                return failed(row, event.record(), wait.until(), standing.attempts(), waits);
            }

            @Override
            public LaneEvent retry(Decision.Retry retry) {
                RawRecord record = withTrail(event.record(), retry);
                show(record, event.seq(), retry.attempts(), retry.at());
                around.metrics().retried(Topics.EVENTS);
                LOG.warn(
                        "Attempt failed: rowId={} key={} attempt={} reason={} name={}; tried again at {}, its key waits",
                        OneLine.of(event.rowId()),
                        OneLine.of(event.orderingKey()),
                        retry.attempts(),
                        retry.cause(),
                        OneLine.of(event.name()),
                        Instant.ofEpochMilli(retry.at()));
                return failed(row, record, retry.at(), retry.attempts(), 0);
            }

            @Override
            public LaneEvent deadLetter(Decision.DeadLetter letter) {
                Verdict verdict =
                        new Verdict(letter.reason(), letter.attempts(), letter.error(), letter.stage(), event.seq());
                parking.park(event.record(), event.rowId(), verdict);
                around.metrics().settledAfter(letter.attempts());
                mark(laneOf(event), event.seq(), event.record());
                return given(laneOf(event), row);
            }
        });
    }

    /** Parked as it came. */
    void park(Malformed malformed) {
        Verdict verdict = new Verdict(malformed.reason(), 1, malformed.error(), malformed.stage(), malformed.seq());
        parking.park(malformed.record(), malformed.rowId(), verdict);
        Place seq = malformed.seq();
        if (seq != null) {
            ofRow(malformed.record()).ifPresent(lane -> mark(lane, seq, malformed.record()));
        }
    }

    /** A row that cannot be read stops its key as any other does, if its name, its key and its place can be. */
    private void parkOnArrival(Malformed malformed, Budget budget) {
        park(malformed);
        Place seq = malformed.seq();
        Optional<LaneKey> lane = ofRow(malformed.record());
        if (seq != null && lane.isPresent() && halts(lane.get(), malformed.record())) {
            LaneRow row = LaneRow.fresh(seq, malformed.record());
            tell(lane.get(), outcome(LaneEvent.Kind.HALTED, row), budget);
        }
    }

    private static Optional<LaneKey> ofRow(RawRecord record) {
        Headers headers = record.headers();
        return headers.text(HeaderName.CE_SOURCE)
                .flatMap(source -> headers.text(HeaderName.CE_PARTITIONKEY)
                        .map(key -> LaneKey.of(Topics.EVENTS, source, key, "")));
    }

    private void park(LaneRow row, Reason reason, ErrorTrail error, String stage) {
        RawRecord record = row.record();
        String rowId = record.headers().text(HeaderName.CE_ID).orElseGet(record::origin);
        parking.park(record, rowId, new Verdict(reason, row.standing().attempts(), error, stage, row.place()));
        ofRow(record).ifPresent(lane -> mark(lane, row.place(), record));
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

    private void show(RawRecord record, Place seq, int attempts, long until) {
        around.outbound().send(Compose.waiting(record, seq, retryTopic, attempts, until));
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

    private Duration sinceCommit(Decoded event) {
        Optional<String> committed = event.record().headers().text(HeaderName.CE_TIME);
        OptionalLong at = committed.isPresent() ? CommitTime.millis(committed.get()) : OptionalLong.empty();
        return at.isPresent() ? Duration.ofMillis(Math.max(0, now() - at.getAsLong())) : Duration.ZERO;
    }

    private long now() {
        return around.clock().millis();
    }
}
