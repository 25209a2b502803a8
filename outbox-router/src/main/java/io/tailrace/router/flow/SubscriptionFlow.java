package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.Decoder;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.Heard;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.Releaser;
import java.util.Optional;

/**
 * The rows of a subscription, commands among them. Their order and their once-only come from the row in the handler's database;
 * here they only wait until it is time to wake them. Executors say through the retry topic what became of a row; a lane releases it
 * to the redelivery topic, and every release is answered.
 */
public final class SubscriptionFlow implements Releaser {

    private static final Decoder ANSWERS =
            Decoder.ofReturned(Kind.FAILED, Kind.BEHIND, Kind.EARLY, Kind.DONE, Kind.DEAD, Kind.REPLAY, Kind.WAITING);

    /** Short against the second that an executor waits out itself, and longer than most answers take. */
    private static final long STEP_MILLIS = 100;

    private static final Place ANY_CARRIER = new Place(0, 0);

    private final String subscription;
    private final Surroundings around;
    private final Parking parking;
    private final String redeliveryTopic;

    /**
     * @param subscription its name; {@code commands} is one
     * @param redeliveryTopic where rows are released to
     */
    public SubscriptionFlow(String subscription, Surroundings around, Parking parking, String redeliveryTopic) {
        this.subscription = subscription;
        this.around = around;
        this.parking = parking;
        this.redeliveryTopic = redeliveryTopic;
    }

    /** An executor's answer, or an operator's replay. */
    void answered(RawRecord record, Budget budget) {
        ANSWERS.decode(record).handle(answer -> hear(answer, budget), this::park);
    }

    /** A row of a lane goes to an executor; one that is to be given up goes there too, since its table holds the truth about it. */
    @Override
    public Optional<LaneEvent> release(LaneKey lane, LaneRow row) {
        Reason burial = row.standing().burial();
        try {
            around.outbound()
                    .send(burial == null ? released(row) : buried(row, burial, Overflow.TRAIL, Overflow.STAGE));
        } catch (RuntimeException error) {
            if (around.isSystemic().test(error)) {
                throw error;
            }
            // The lane has half changed: what is thrown on would be committed so.
            around.outbound().send(buried(row, Reason.TIMER_ERROR, ErrorTrail.of(error), "timer"));
        }
        around.metrics().released(subscription);
        return Optional.empty();
    }

    private Outgoing released(LaneRow row) {
        RawRecord record = row.record();
        boolean isReplay = record.headers().kind().filter(Kind.REPLAY::equals).isPresent();
        Kind kind = isReplay ? Kind.REPLAY : Kind.REDELIVERY;
        return Compose.released(
                record, redeliveryTopic, kind, row.place(), row.standing().turn());
    }

    private Outgoing buried(LaneRow row, Reason reason, ErrorTrail error, String stage) {
        return Compose.buried(released(row), reason, error, stage);
    }

    /**
     * Something happened to a row of this subscription.
     *
     * @return what it was to the row's lane
     */
    Heard tell(Decoded row, LaneEvent event, Budget budget) {
        LaneKey lane = LaneKey.of(subscription, row.source(), row.orderingKey(), row.rowId());
        return around.lanes().take(lane, event, now(), this, budget);
    }

    /** The row's dead letter goes: it is on its way again. */
    void resurrected(Decoded row) {
        parking.release(row.rowId());
    }

    private void hear(Decoded answer, Budget budget) {
        if (answer.kind() == Kind.WAITING || isOver(answer)) {
            return;
        }
        if (answer.kind() == Kind.DONE) {
            around.past().finished().add(subscription, answer.source(), answer.rowId(), answer.turn());
        }
        Optional<Place> place = answer.place();
        if (place.isEmpty()) {
            hearOfARowWithoutPlace(answer, budget);
            return;
        }
        Heard heard = tell(answer, eventOf(answer, place.get()), budget);
        if (heard == Heard.CHANGED && answer.kind() == Kind.FAILED) {
            around.metrics().retried(subscription);
        }
        // One that died at its first attempt was never on a lane, and is parked all the same.
        if (heard != Heard.STALE && answer.kind() == Kind.DEAD) {
            park(answer);
        }
        if (heard == Heard.MET_A_STRANGER) {
            wake(answer);
        }
    }

    /**
     * The row that another one met twice is on no lane. At turn 0 it is not run: its table is ahead, and the executor answers with
     * what stands there, which brings it back onto its lane.
     */
    private void wake(Decoded behind) {
        behind.record().headers().text(HeaderName.BEHIND).ifPresent(met -> {
            RawRecord about = behind.record()
                    .withoutValue(behind.record().headers().withoutDelivery().toBuilder()
                            .put(HeaderName.CE_ID, met)
                            .put(HeaderName.SEQ, behind.seq().text())
                            .put(HeaderName.PAYLOAD, "omitted")
                            .build());
            around.outbound().send(Compose.released(about, redeliveryTopic, Kind.REDELIVERY, ANY_CARRIER, 0));
        });
    }

    /** A replay is an operator's word and not an answer; what is done cannot be replayed. */
    private boolean isOver(Decoded answer) {
        return answer.kind() != Kind.REPLAY
                && answer.kind() != Kind.DONE
                && around.past().finished().isOver(subscription, answer.source(), answer.rowId(), answer.turn());
    }

    /** A row that was never stamped has no place and stands on no lane. */
    private void hearOfARowWithoutPlace(Decoded answer, Budget budget) {
        switch (answer.kind()) {
            case EARLY -> around.agenda().add(again(answer));
            case DEAD -> park(answer);
            // Events are replayed at their own place, which is their seq.
            case REPLAY -> tell(answer, eventOf(answer, answer.seq()), budget);
            default -> {
                // Done: nobody waits for it.
            }
        }
    }

    private LaneEvent eventOf(Decoded answer, Place place) {
        long now = now();
        long later = Instants.plus(now, answer.waitMillis());
        return switch (answer.kind()) {
            case FAILED -> event(LaneEvent.Kind.FAILED, answer, place, later);
            case BEHIND -> event(LaneEvent.Kind.BEHIND, answer, place, now);
            case EARLY -> event(LaneEvent.Kind.EARLY, answer, place, later);
            case DONE -> event(LaneEvent.Kind.DONE, answer, place, now);
            case DEAD -> event(LaneEvent.Kind.DEAD, answer, place, now);
            case REPLAY -> event(LaneEvent.Kind.REPLAYED, answer, place, 0);
            default ->
                throw new IllegalStateException("kind " + answer.kind() + " is no answer, yet the decoder let it pass");
        };
    }

    private static LaneEvent event(LaneEvent.Kind kind, Decoded answer, Place place, long notBefore) {
        return new LaneEvent(kind, place, answer.turn(), notBefore, answer.attempts(), 0, answer.record());
    }

    /**
     * A row that was rescheduled many times has a carrier for each time it had, and each of them is early in its turn. All are told
     * the same instant, to within the time that an answer takes: at one step and under one name they become one entry, and do not
     * come back together. What the step is too early the executor waits out.
     */
    private Due again(Decoded early) {
        long at = Instants.plus(now(), early.waitMillis());
        return new Due.Command(at - at % STEP_MILLIS, ANY_CARRIER, early.turn(), early.rowId(), Carrier.of(early, at));
    }

    private void park(Decoded answer) {
        var headers = answer.record().headers();
        ErrorTrail error = new ErrorTrail(
                headers.text(HeaderName.ERROR_CLASS).orElse(""),
                headers.text(HeaderName.ERROR_MESSAGE).orElse(""),
                headers.text(HeaderName.ERROR_STACK).orElse(""));
        Reason reason = headers.reason().orElse(Reason.REJECTED);
        String stage = headers.text(HeaderName.STAGE).orElse("handler");
        parking.park(
                answer.record(), answer.rowId(), new Verdict(reason, answer.attempts(), error, stage, answer.seq()));
    }

    /** Parked as it came. */
    void park(Malformed malformed) {
        parking.park(
                malformed.record(),
                malformed.rowId(),
                new Verdict(malformed.reason(), 0, malformed.error(), malformed.stage(), malformed.seq()));
    }

    private long now() {
        return around.clock().millis();
    }
}
