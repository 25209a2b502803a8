package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Letter;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import java.util.Optional;

/**
 * How events end that are not delivered, whatever the reason and wherever they stand: by a dead letter, at which their key goes on or
 * stops. Where it stops a mark without a payload is left on the lane: who tries the row anew brings the payload, and so there is room
 * for a mark where there is none for the row.
 */
final class Endings {

    private final Decider decider;
    private final Parking parking;
    private final Lateness lateness;

    Endings(Decider decider, Parking parking, Lateness lateness) {
        this.decider = decider;
        this.parking = parking;
        this.lateness = lateness;
    }

    /** Of a row that an attempt, a limit or a bug was the end of. */
    Act of(LaneKey lane, LaneRow row, Reason reason, ErrorTrail error, String stage) {
        RawRecord record = row.record();
        String rowId = record.headers().text(HeaderName.CE_ID).orElseGet(record::origin);
        return of(lane, row, rowId, new Verdict(reason, row.standing().attempts(), error, stage, row.place()));
    }

    /** Of a row that cannot be read. */
    Act of(LaneKey lane, LaneRow row, Malformed malformed) {
        return of(lane, row, malformed.rowId(), verdict(malformed));
    }

    Act of(LaneKey lane, LaneRow row, String rowId, Verdict verdict) {
        LaneEvent outcome = halts(lane, row.record())
                ? LaneEvent.of(
                        LaneEvent.Kind.HALTED, row.place(), row.standing().turn(), Mark.of(row.record()))
                : LaneEvent.of(LaneEvent.Kind.DEAD, row.place(), row.standing().turn(), row.record());
        return new Act(letter(lane, row.record(), rowId, verdict), outcome);
    }

    /** Of a record of which not even the place can be read: there is nowhere where its key could stop. */
    Deed withoutPlace(Malformed malformed) {
        return letter(laneOf(malformed), malformed.record(), malformed.rowId(), verdict(malformed));
    }

    /** Whether a key stops at the dead letter of a row. */
    boolean halts(LaneKey lane, RawRecord record) {
        return lane.sort() == LaneKey.Sort.KEYED && decider.haltsKey(record.headers());
    }

    /** That of its key, if it can be read with all that an operator names a row by; else the row's own. */
    static LaneKey laneOf(Malformed malformed) {
        Headers headers = malformed.record().headers();
        Optional<String> source = headers.text(HeaderName.CE_SOURCE);
        boolean isNamed = source.isPresent() && headers.text(HeaderName.CE_ID).isPresent();
        String key = isNamed ? headers.text(HeaderName.CE_PARTITIONKEY).orElse(null) : null;
        return LaneKey.of(Topics.EVENTS, source.orElse(""), key, malformed.rowId());
    }

    private static Verdict verdict(Malformed malformed) {
        return new Verdict(malformed.reason(), 1, malformed.error(), malformed.stage(), malformed.seq());
    }

    private Deed letter(LaneKey lane, RawRecord record, String rowId, Verdict verdict) {
        Letter letter = parking.letter(record, rowId, verdict);
        Place seq = verdict.seq();
        return Deed.send(letter.record(), () -> {
            parking.parked(letter);
            if (seq != null) {
                lateness.died(lane, seq, record);
            }
        });
    }
}
