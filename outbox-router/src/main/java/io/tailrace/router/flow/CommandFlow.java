package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
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
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.Heard;
import io.tailrace.router.lane.LaneEvent;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands until they are due, and what their tables say of them later. A command that waits for its {@code run_at} blocks nobody.
 * What the router must give up is not parked here: its row is the truth about it, so it is sent to be stamped DEAD, and the answer
 * brings the dead letter.
 */
public final class CommandFlow {

    private static final Logger LOG = LoggerFactory.getLogger(CommandFlow.class);

    private static final Decoder RAW = Decoder.ofRaw(Kind.COMMAND, Kind.CONTROL);

    private static final Decoder CARRIED = Decoder.ofReturned(Kind.COMMAND);

    private final Surroundings around;
    private final Decider decider;
    private final Parking parking;
    private final SubscriptionFlow subscription;
    private final String dueTopic;

    /**
     * @param subscription the same commands once they were stamped
     * @param dueTopic where due commands go
     */
    public CommandFlow(
            Surroundings around, Decider decider, Parking parking, SubscriptionFlow subscription, String dueTopic) {
        this.around = around;
        this.decider = decider;
        this.parking = parking;
        this.subscription = subscription;
        this.dueTopic = dueTopic;
    }

    /** A command row as it was committed, or word of a change to one. */
    void arrived(RawRecord record, Budget budget) {
        RAW.decode(record).handle(decoded -> admit(decoded, budget), this::park);
    }

    /** A command whose time has come. */
    void due(Due.Command command) {
        try {
            CARRIED.decode(command.record()).handle(decoded -> route(decoded, command.at()), this::park);
        } catch (RuntimeException error) {
            if (around.isSystemic().test(error)) {
                throw error;
            }
            RawRecord record = command.record();
            Place seq = record.headers().place(HeaderName.SEQ).orElse(command.seq());
            bury(record, seq, Reason.TIMER_ERROR, ErrorTrail.of(error), "timer");
        }
    }

    private void admit(Decoded decoded, Budget budget) {
        if (decoded.kind() == Kind.CONTROL) {
            change(decoded, budget);
        } else {
            scheduleOrBury(decoded);
        }
    }

    private void scheduleOrBury(Decoded command) {
        Optional<Decision.DeadLetter> objection = decider.objectionTo(command);
        if (objection.isPresent()) {
            Decision.DeadLetter letter = objection.get();
            bury(command.record(), command.seq(), letter.reason(), letter.error(), letter.stage());
        } else {
            schedule(command, command.record(), command.notBefore());
        }
    }

    /** At once, unless it is ahead of its time or others that are due have not gone yet: those go first. */
    private void schedule(Decoded command, RawRecord record, long at) {
        long now = now();
        if (at <= now && !around.agenda().isDue(now)) {
            CARRIED.decode(record).handle(decoded -> route(decoded, at), this::park);
        } else {
            around.agenda().add(new Due.Command(at, command.seq(), command.turn(), command.rowId(), record));
        }
    }

    private void route(Decoded command, long dueAt) {
        around.outbound().send(Compose.due(command, dueTopic));
        // One that was due before it was committed is late by what we took, which the engine's lag shows, not by its
        // run_at.
        boolean wasScheduled = dueAt > 0;
        around.metrics()
                .due(Topics.COMMANDS, wasScheduled ? Duration.ofMillis(Math.max(0, now() - dueAt)) : Duration.ZERO);
    }

    private void change(Decoded control, Budget budget) {
        Optional<Place> place = control.place();
        switch (control.act()) {
            // The row guards itself. If it heads a lane, the sooner it is found cancelled the sooner the key goes on.
            case "cancel" -> place.ifPresent(at -> tell(control, LaneEvent.Kind.HURRIED, at, 0, budget));
            case "reschedule", "run-now" -> retime(control, LaneEvent.Kind.RETIMED, control.notBefore(), budget);
            // Nobody sends this yet: it is the reconciler's word, for rows that are overdue and that nobody seems to
            // have.
            case "wake" -> retime(control, LaneEvent.Kind.WOKEN, 0, budget);
            case "requeue" -> requeue(control, budget);
            default ->
                LOG.warn(
                        "Control act not known to this release, passed over: act={} rowId={} name={}",
                        OneLine.of(control.act()),
                        OneLine.of(control.rowId()),
                        OneLine.of(control.name()));
        }
    }

    /** A row that was stamped waits on its lane; one that never was gets a further carrier, and the row lets only one of them run. */
    private void retime(Decoded control, LaneEvent.Kind kind, long at, Budget budget) {
        Optional<Place> place = control.place();
        if (place.isPresent()) {
            tell(control, kind, place.get(), at, budget);
        } else {
            schedule(control, Carrier.of(control, at), at);
        }
    }

    /** Out of the dead letters and onto its lane, in one transaction; heard twice, it is done once. */
    private void requeue(Decoded control, Budget budget) {
        Optional<Place> place = control.place();
        if (place.isEmpty()) {
            schedule(control, Carrier.of(control, 0), 0);
            subscription.resurrected(control);
        } else if (tell(asReplay(control), LaneEvent.Kind.REPLAYED, place.get(), 0, budget) == Heard.CHANGED) {
            subscription.resurrected(control);
        }
    }

    private Heard tell(Decoded control, LaneEvent.Kind kind, Place place, long at, Budget budget) {
        LaneEvent event = new LaneEvent(kind, place, control.turn(), at, 0, 0, withoutPayload(control));
        return subscription.tell(control, event, budget);
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
    void park(Malformed malformed) {
        RawRecord record = malformed.record();
        boolean namesACommand =
                record.headers().kind().filter(Kind.COMMAND::equals).isPresent()
                        && record.headers().text(HeaderName.CE_ID).isPresent();
        if (namesACommand) {
            bury(record, malformed.seq(), malformed.reason(), malformed.error(), malformed.stage());
            return;
        }
        parking.park(
                record,
                malformed.rowId(),
                new Verdict(malformed.reason(), 1, malformed.error(), malformed.stage(), malformed.seq()));
    }

    private void bury(RawRecord record, @Nullable Place seq, Reason reason, ErrorTrail error, String stage) {
        around.outbound().send(Compose.buried(Compose.dueAsItIs(record, dueTopic, seq), reason, error, stage));
    }

    private long now() {
        return around.clock().millis();
    }
}
