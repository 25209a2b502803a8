package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Letter;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.Decoder;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Change;
import io.tailrace.router.lane.Heard;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.redact.Redaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Commands until they are due, and what their tables say of them later. A command that waits for its {@code run_at} blocks nobody.
 * What the router must give up is not parked here: its row is the truth about it, so it is sent to be stamped DEAD, and the answer
 * brings the dead letter.
 */
public final class CommandFlow {

    private static final Decoder RAW = Decoder.ofRaw(Kind.COMMAND, Kind.CONTROL);

    private static final Decoder CARRIED = Decoder.ofReturned(Kind.COMMAND);

    private final Surroundings around;
    private final Decider decider;
    private final Parking parking;
    private final Redaction redaction;
    private final SubscriptionFlow subscription;
    private final Map<String, SubscriptionFlow> ofEvents;
    private final String dueTopic;

    /**
     * @param redaction which tells whose secrets are to go
     * @param subscription the same commands once they were stamped
     * @param ofEvents those whose events the tables speak of, by name
     * @param dueTopic where due commands go
     */
    public CommandFlow(
            Surroundings around,
            Decider decider,
            Parking parking,
            Redaction redaction,
            SubscriptionFlow subscription,
            List<SubscriptionFlow> ofEvents,
            String dueTopic) {
        this.around = around;
        this.decider = decider;
        this.parking = parking;
        this.redaction = redaction;
        this.subscription = subscription;
        this.ofEvents = ofEvents.stream().collect(Collectors.toUnmodifiableMap(SubscriptionFlow::name, each -> each));
        this.dueTopic = dueTopic;
    }

    /** A command row as it was committed, or word of a change to one. */
    Deed arrived(RawRecord record) {
        return RAW.decode(record)
                .match(
                        decoded -> decoded.kind() == Kind.CONTROL ? change(decoded) : scheduleOrBury(decoded),
                        this::park);
    }

    /** A command whose time has come. */
    Deed due(Due.Command command) {
        return routeOrPark(command.record(), command.at());
    }

    /** A command at whose time something was thrown. */
    Deed giveUp(Due.Command command, ErrorTrail bug) {
        RawRecord record = command.record();
        Place seq = record.headers().place(HeaderName.SEQ).orElse(command.seq());
        return bury(record, seq, Reason.TIMER_ERROR, bug, "timer");
    }

    private Deed scheduleOrBury(Decoded command) {
        return decider.objectionTo(command)
                .map(letter -> bury(command.record(), command.seq(), letter.reason(), letter.error(), letter.stage()))
                .orElseGet(() -> schedule(command, command.record(), command.notBefore()));
    }

    /** At once, unless it is ahead of its time or others that are due have not gone yet: those go first. */
    private Deed schedule(Decoded command, RawRecord record, long at) {
        long now = around.clock().millis();
        return at <= now && !around.agenda().isDue(now)
                ? routeOrPark(record, at)
                : Deed.add(new Due.Command(at, command.seq(), command.turn(), command.rowId(), record));
    }

    private Deed routeOrPark(RawRecord record, long dueAt) {
        return CARRIED.decode(record).match(command -> route(command, dueAt), this::park);
    }

    private Deed route(Decoded command, long dueAt) {
        return Deed.send(Compose.due(command, dueTopic), () -> around.metrics().due(Topics.COMMANDS, lateness(dueAt)));
    }

    /** What was due before it was committed is late by what we took, which the engine's lag shows, not by its run_at. */
    private Duration lateness(long dueAt) {
        boolean wasScheduled = dueAt > 0;
        return wasScheduled ? Duration.ofMillis(Math.max(0, around.clock().millis() - dueAt)) : Duration.ZERO;
    }

    private Deed change(Decoded control) {
        Optional<Place> place = control.place();
        return switch (control.act()) {
            // The row guards itself. If it heads a lane, the sooner it is found cancelled the sooner the key goes on.
            // If it is on none, it
            // is found only when it would have been due: its secrets do not stay that long.
            case "cancel" ->
                place.map(at -> cancelled(control, at))
                        .orElseGet(() ->
                                redaction.cancelNote(control).map(Deed::send).orElse(Deed.NONE));
            case "reschedule", "run-now" -> retime(control, LaneEvent.Kind.RETIMED, control.notBefore());
            // Rows that are overdue by their table and that nobody seems to have.
            case "wake" -> woken(control);
            case "requeue" -> requeue(control);
            case "skip" -> place.map(at -> skipped(control, at)).orElse(Deed.NONE);
            case "run-event-now" -> runEvent(control);
            default -> Words.unknown(control, parking);
        };
    }

    /** A row that was stamped waits on its lane; one that never was gets a further carrier, and the row lets only one of them run. */
    private Deed retime(Decoded control, LaneEvent.Kind kind, long at) {
        return control.place()
                .map(place -> Deed.settle(hear(control, kind, place, at)))
                .orElseGet(() -> schedule(control, Carrier.of(control, at), at));
    }

    /** A dead one is cancelled when its letter is discarded. */
    private Deed cancelled(Decoded control, Place at) {
        return subscription.isHalted(control, at)
                ? Deed.settle(hear(control, LaneEvent.Kind.SKIPPED, at, 0))
                        .then(() -> subscription.over(control, control.turn()))
                : Deed.settle(hear(control, LaneEvent.Kind.HURRIED, at, 0));
    }

    /**
     * Its table has a new turn for it, at which its key goes on. If nobody here knows yet that it is dead, it is asked at that turn, and
     * the answer is all that counts.
     */
    private Deed skipped(Decoded control, Place at) {
        LaneEvent.Kind kind = subscription.isHalted(control, at) ? LaneEvent.Kind.SKIPPED : LaneEvent.Kind.RETIMED;
        return Deed.settle(hear(control, kind, at, 0)).then(() -> subscription.over(control, control.turn() - 1));
    }

    private Deed woken(Decoded control) {
        Deed deed = retime(control, LaneEvent.Kind.WOKEN, 0);
        return control.place()
                .flatMap(at -> subscription.whereItStops(control, at))
                .map(deed::and)
                .orElse(deed);
    }

    /**
     * An event that was held is to run. It waits on a lane of its subscription, which is in this task: both topics are partitioned by the
     * ordering key. If that subscription is not configured any more, it waits until it is back.
     */
    private Deed runEvent(Decoded control) {
        SubscriptionFlow flow = control.record()
                .headers()
                .text(HeaderName.SUBSCRIPTION)
                .map(ofEvents::get)
                .orElse(null);
        return flow == null
                ? Deed.NONE
                : control.place().map(place -> flow.letGo(control, place)).orElse(Deed.NONE);
    }

    /**
     * Out of the dead letters and onto its lane, in one transaction; heard twice, it is done once. An executor that met the row may have been
     * faster than the log: the row is on its lane at this very turn, and its letter is there still.
     */
    private Deed requeue(Decoded control) {
        Optional<Place> place = control.place();
        if (place.isEmpty()) {
            return schedule(control, Carrier.of(control, 0), 0).and(parking.tombstone(control.rowId()));
        }
        Change change = hear(asReplay(control), LaneEvent.Kind.REPLAYED, place.get(), 0);
        Deed deed = Deed.settle(change);
        boolean isNews = change.heard() == Heard.CHANGED || subscription.hasBeenTold(control, place.get());
        return isNews ? deed.and(parking.tombstone(control.rowId())) : deed;
    }

    private Change hear(Decoded control, LaneEvent.Kind kind, Place place, long at) {
        LaneEvent event = new LaneEvent(kind, place, control.turn(), at, 0, 0, withoutPayload(control));
        return subscription.hear(control, event);
    }

    private static RawRecord withoutPayload(Decoded control) {
        RawRecord record = control.record();
        return record.with(record.headers().toBuilder()
                .put(HeaderName.SEQ, control.seq().text())
                .put(HeaderName.PAYLOAD, "omitted")
                .build());
    }

    private static Decoded asReplay(Decoded control) {
        RawRecord record = control.record();
        return new Decoded(
                record.with(record.headers().with(HeaderName.KIND, Kind.REPLAY.text())),
                Kind.REPLAY,
                control.rowId(),
                control.name(),
                control.source(),
                control.orderingKey(),
                control.seq());
    }

    /** Only what names a row can be stamped; the rest is parked here. */
    Deed park(Malformed malformed) {
        RawRecord record = malformed.record();
        Optional<Kind> kind = record.headers().kind();
        if (kind.filter(Kind.CONTROL::equals).isPresent()) {
            return Words.unreadable(malformed, parking);
        }
        if (kind.filter(Kind.COMMAND::equals).isPresent()
                && record.headers().text(HeaderName.CE_ID).isPresent()) {
            return bury(record, malformed.seq(), malformed.reason(), malformed.error(), malformed.stage());
        }
        Letter letter = parking.letter(
                record,
                malformed.rowId(),
                new Verdict(malformed.reason(), 1, malformed.error(), malformed.stage(), malformed.seq()));
        return Deed.send(letter.record(), () -> parking.parked(letter));
    }

    private Deed bury(RawRecord record, @Nullable Place seq, Reason reason, ErrorTrail error, String stage) {
        return Deed.send(Compose.buried(Compose.dueAsItIs(record, dueTopic, seq), reason, error, stage));
    }
}
