package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Letter;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.Decoder;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Change;
import io.tailrace.router.lane.Heard;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.RowState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a subscription, commands among them. Their order and their once-only come from the row in the handler's database;
 * here they only wait until it is time to wake them. Executors say through the retry topic what became of a row; a lane releases it
 * to the redelivery topic. Every release is answered; an answer that is lost or cannot be read is asked for again by the lane.
 */
public final class SubscriptionFlow implements Attempts {

    private static final Decoder ANSWERS =
            Decoder.ofReturned(Kind.FAILED, Kind.BEHIND, Kind.EARLY, Kind.DONE, Kind.DEAD, Kind.REPLAY, Kind.WAITING);

    /** Of a command the table is told what an operator wants, and the router hears of it in order with the rows. */
    private static final Decoder ANSWERS_AND_ORDERS = Decoder.ofReturned(
            Kind.FAILED, Kind.BEHIND, Kind.EARLY, Kind.DONE, Kind.DEAD, Kind.REPLAY, Kind.WAITING, Kind.CONTROL);

    /** Short against the second that an executor waits out itself, and longer than most answers take. */
    private static final long STEP_MILLIS = 100;

    private static final Place ANY_CARRIER = new Place(0, 0);

    private final String subscription;
    private final boolean isOfEvents;
    private final Surroundings around;
    private final Parking parking;
    private final HaltedHeads operators;
    private final String redeliveryTopic;

    /**
     * @param subscription its name; {@code commands} is one
     * @param redeliveryTopic where rows are released to
     */
    public SubscriptionFlow(String subscription, Surroundings around, Parking parking, String redeliveryTopic) {
        this.subscription = subscription;
        this.isOfEvents = !subscription.equals(Topics.COMMANDS);
        this.around = around;
        this.parking = parking;
        this.operators = new HaltedHeads(subscription, around, parking);
        this.redeliveryTopic = redeliveryTopic;
    }

    /** The {@code x} of its lanes and topics. */
    public String name() {
        return subscription;
    }

    /** An executor's answer, an operator's replay, or his word to a row at which a key stops. */
    Deed answered(RawRecord record) {
        return (isOfEvents ? ANSWERS_AND_ORDERS : ANSWERS)
                .decode(record)
                .match(word -> word.kind() == Kind.CONTROL ? operators.hear(word) : hear(word), this::park);
    }

    /** A row of a lane goes to an executor; one that is to be given up goes there too, since its table holds the truth about it. */
    @Override
    public Attempt attempt(LaneKey lane, LaneRow row) {
        Reason burial = row.standing().burial();
        return toExecutor(burial == null ? released(row) : buried(row, burial, Overflow.TRAIL, Overflow.STAGE));
    }

    @Override
    public Attempt giveUp(LaneKey lane, LaneRow row, ErrorTrail bug) {
        return toExecutor(buried(row, Reason.TIMER_ERROR, bug, "timer"));
    }

    private Attempt toExecutor(Outgoing record) {
        return new Attempt(Deed.send(record, () -> around.metrics().released(subscription)), Optional.empty());
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

    /** Something happened to a row of this subscription. */
    Change hear(Decoded row, LaneEvent event) {
        return around.lanes().hear(laneOf(row), event, now());
    }

    private LaneKey laneOf(Decoded row) {
        return LaneKey.of(subscription, row.source(), row.orderingKey(), row.rowId());
    }

    /** Whether the key stops at a row, as far as is known here. */
    boolean isHalted(Decoded row, Place place) {
        return halted(row, place) != null;
    }

    private @Nullable LaneRow halted(Decoded row, Place place) {
        LaneRow there = around.lanes().row(laneOf(row), place);
        return there != null && there.state() == RowState.HALTED ? there : null;
    }

    /** Whether a row waits at the turn of an operator's word and came by somebody else's: it says what stands in the table. */
    boolean hasBeenTold(Decoded word, Place place) {
        LaneRow there = around.lanes().row(laneOf(word), place);
        return there != null
                && there.state() != RowState.HALTED
                && there.standing().turn() == word.turn()
                && there.record().headers().kind().filter(Kind.REPLAY::equals).isEmpty();
    }

    /** What is said of a row up to this turn is over: it may have been held up on its way. */
    void over(Decoded row, int turn) {
        around.past().finished().add(subscription, row.source(), row.rowId(), turn);
    }

    /**
     * The table of a row runs it, or misses it, while its key stops here before it or at it: the one at which it stops is asked for, and
     * its executor's answer tells what stands in the table. So no key stands for ever because word of it was lost.
     */
    Optional<Outgoing> whereItStops(Decoded row, Place place) {
        LaneRow head = around.lanes().head(laneOf(row));
        if (head == null || head.state() != RowState.HALTED || head.place().compareTo(place) > 0) {
            return Optional.empty();
        }
        return Optional.of(released(head));
    }

    /**
     * The table of an event says that it is to run, at a new turn. What is on no lane cannot be sent: the word has neither the event nor where
     * it is to be read again. If the answer by which it was held is still on its way, that brings the event, and it does not wait then; if
     * not, it is left to the upkeep, as that a stranger met is.
     */
    Deed letGo(Decoded word, Place place) {
        return around.lanes().row(laneOf(word), place) == null
                ? Deed.NONE.then(() ->
                        around.past().finished().letGo(subscription, word.source(), word.rowId(), word.turn() - 1))
                : Deed.settle(
                        hear(word, new LaneEvent(LaneEvent.Kind.RETIMED, place, word.turn(), 0, 0, 0, word.record())));
    }

    private Deed hear(Decoded answer) {
        if (answer.kind() == Kind.WAITING || isOver(answer)) {
            return Deed.NONE;
        }
        return placeOf(answer)
                .map(place -> ofARowOnItsPlace(answer, place))
                .orElseGet(() -> ofARowWithoutPlace(answer));
    }

    /** That of an event is its {@code seq}, whether or not the answer tells; a command has none before it was stamped. */
    private Optional<Place> placeOf(Decoded answer) {
        return answer.place().or(() -> isOfEvents ? Optional.of(answer.seq()) : Optional.empty());
    }

    /** A replay is an operator's word and not an answer; what is done cannot be replayed. */
    private boolean isOver(Decoded answer) {
        return answer.kind() != Kind.REPLAY
                && answer.kind() != Kind.DONE
                && around.past().finished().isOver(subscription, answer.source(), answer.rowId(), answer.turn());
    }

    private Deed ofARowOnItsPlace(Decoded answer, Place place) {
        if (answer.kind() == Kind.BEHIND && isOneTooMany(answer, place)) {
            return givenUp(answer, place);
        }
        boolean isSaidAgain = answer.kind() == Kind.DEAD && stopsAtIt(answer, place);
        Change change = hear(answer, eventOf(answer, place));
        Heard heard = change.heard();
        Deed deed = Deed.settle(change);
        return switch (answer.kind()) {
            case DONE -> deed.then(() -> remember(answer));
            case FAILED ->
                heard == Heard.CHANGED
                        ? whereItStops(answer, place)
                                .map(deed::and)
                                .orElse(deed)
                                .then(() -> around.metrics().retried(subscription))
                        : deed;
            case BEHIND ->
                heard == Heard.MET_A_STRANGER ? stranger(answer).map(deed::and).orElse(deed) : deed;
            // One that died at its first attempt was never on a lane, and is parked all the same.
            case DEAD ->
                heard == Heard.STALE || isSaidAgain
                        ? deed
                        : parked(letter(answer)).and(change);
            default -> deed;
        };
    }

    /** Its letter is there: it was written with the mark on the lane, and goes with it. */
    private boolean stopsAtIt(Decoded dead, Place place) {
        LaneRow there = halted(dead, place);
        return there != null && there.standing().turn() == dead.turn();
    }

    private static boolean halts(Decoded answer) {
        return answer.orderingKey() != null
                && answer.record().headers().text(HeaderName.HALTS).isPresent();
    }

    /** Behind a row at which its key stops, or will, if it is given up. */
    private boolean isOneTooMany(Decoded behind, Place place) {
        return around.lanes().refuses(laneOf(behind), LaneRow.fresh(place, behind.record()), halts(behind), now());
    }

    /** It is on no lane: what its executor answers is all that is heard of it again. */
    private Deed givenUp(Decoded behind, Place place) {
        Outgoing released = Compose.released(behind.record(), redeliveryTopic, Kind.REDELIVERY, place, behind.turn());
        return Deed.send(
                Compose.buried(released, Reason.LANE_OVERFLOW, Overflow.TRAIL, Overflow.STAGE),
                () -> around.metrics().released(subscription));
    }

    /** A row that was never stamped has no place and stands on no lane. */
    private Deed ofARowWithoutPlace(Decoded answer) {
        return switch (answer.kind()) {
            case EARLY -> Deed.add(again(answer));
            case DEAD -> parked(letter(answer));
            case DONE -> Deed.NONE.then(() -> remember(answer));
            case REPLAY -> Deed.settle(hear(answer, eventOf(answer, answer.seq())));
            default ->
                throw new IllegalStateException(
                        "'%s' of a row without a place: the decoder asks for one, yet let it pass"
                                .formatted(answer.kind()));
        };
    }

    /**
     * The row that another one met twice is on no lane. At turn 0 it is not run: its table is ahead, and the executor answers with
     * what stands there, which brings it back onto its lane. An event that is on no lane cannot be asked for so: what is read again of it lies
     * where its own record says, which nobody here knows. The upkeep does, and sends it when it is overdue.
     */
    private Optional<Outgoing> stranger(Decoded behind) {
        return isOfEvents ? Optional.empty() : askedFor(behind);
    }

    /**
     * Of the row that was met its id is known, its source and its key, and nothing else: what else stands on the record of the one that
     * met it is that one's. A row without a name has the secrets of all, until its executor has told the name.
     */
    private Optional<Outgoing> askedFor(Decoded behind) {
        return behind.record().headers().text(HeaderName.BEHIND).map(met -> {
            RawRecord about = behind.record()
                    .withoutValue(Headers.builder()
                            .put(HeaderName.CE_SPECVERSION, "1.0")
                            .put(HeaderName.CE_ID, met)
                            .put(HeaderName.CE_TYPE, "")
                            .put(HeaderName.CE_SOURCE, behind.source())
                            .putIfPresent(HeaderName.CE_PARTITIONKEY, behind.orderingKey())
                            .put(HeaderName.SEQ, new Place(behind.seq().epoch(), 0).text())
                            .put(HeaderName.PAYLOAD, "omitted")
                            .build());
            return Compose.released(about, redeliveryTopic, Kind.REDELIVERY, ANY_CARRIER, 0);
        });
    }

    private LaneEvent eventOf(Decoded answer, Place place) {
        long now = now();
        return switch (answer.kind()) {
            case FAILED -> event(LaneEvent.Kind.FAILED, answer, place, later(answer, now));
            case BEHIND -> event(LaneEvent.Kind.BEHIND, answer, place, now);
            case EARLY -> event(LaneEvent.Kind.EARLY, answer, place, later(answer, now));
            case DONE -> event(LaneEvent.Kind.DONE, answer, place, now);
            case DEAD -> dead(answer, place);
            // The row of an event keeps the turn of its death until an executor has the replay.
            case REPLAY ->
                event(isHalted(answer, place) ? LaneEvent.Kind.REVIVED : LaneEvent.Kind.REPLAYED, answer, place, 0);
            default ->
                throw new IllegalStateException("kind " + answer.kind() + " is no answer, yet the decoder let it pass");
        };
    }

    /** At once when its table has a later turn for it, at which it is due: asked at this one, its executor answers so. */
    private long later(Decoded answer, long now) {
        return around.past().finished().wasLetGo(subscription, answer.source(), answer.rowId(), answer.turn())
                ? now
                : Instants.plus(now, answer.waitMillis());
    }

    private LaneEvent dead(Decoded answer, Place place) {
        return halts(answer)
                ? new LaneEvent(
                        LaneEvent.Kind.HALTED, place, answer.turn(), 0, answer.attempts(), 0, Mark.of(answer.record()))
                : event(LaneEvent.Kind.DEAD, answer, place, now());
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

    private void remember(Decoded done) {
        around.past().finished().add(subscription, done.source(), done.rowId(), done.turn());
    }

    private Letter letter(Decoded answer) {
        var headers = answer.record().headers();
        ErrorTrail error = new ErrorTrail(
                headers.text(HeaderName.ERROR_CLASS).orElse(""),
                headers.text(HeaderName.ERROR_MESSAGE).orElse(""),
                headers.text(HeaderName.ERROR_STACK).orElse(""));
        Reason reason = headers.reason().orElse(Reason.REJECTED);
        String stage = headers.text(HeaderName.STAGE).orElse("handler");
        return parking.letter(
                answer.record(), answer.rowId(), new Verdict(reason, answer.attempts(), error, stage, answer.seq()));
    }

    /**
     * Parked as it came. Only one that says that its row is dead stands for the row; any other is word about one that may be anything, and
     * under its id it would take the place of the row's own letter, or be taken for one.
     */
    Deed park(Malformed malformed) {
        return tellsADeath(malformed) ? parked(letter(malformed)) : Words.unreadable(malformed, parking);
    }

    private static boolean tellsADeath(Malformed malformed) {
        Headers headers = malformed.record().headers();
        return headers.kind().filter(Kind.DEAD::equals).isPresent()
                && headers.text(HeaderName.CE_ID).isPresent()
                && headers.number(HeaderName.TURN).isPresent();
    }

    private Letter letter(Malformed malformed) {
        return parking.letter(
                malformed.record(),
                malformed.rowId(),
                new Verdict(malformed.reason(), 0, malformed.error(), malformed.stage(), malformed.seq()));
    }

    private Deed parked(Letter letter) {
        return Deed.send(letter.record(), () -> parking.parked(letter));
    }

    private long now() {
        return around.clock().millis();
    }
}
