package io.tailrace.router.flow;

import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deadletter.Letter;
import io.tailrace.router.deadletter.OneLine;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.deadletter.Verdict;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import org.jspecify.annotations.Nullable;

/**
 * Words about rows that are not understood, such as those of a newer release. Each is parked, not forgotten: somebody wanted something.
 * It stands among the dead letters by where it was read: under the id of its row it would take the place of the row's own letter.
 */
final class Words {

    private static final String STAGE = "control";

    private Words() {}

    static Deed unknown(Decoded word, Parking parking) {
        String problem =
                "control act '%s' is not known to this release: give it again once a release that knows it runs"
                        .formatted(OneLine.of(word.act()));
        return park(word.record(), Reason.MALFORMED, ErrorTrail.of("UnknownAct", problem), word.seq(), parking);
    }

    static Deed unreadable(Malformed word, Parking parking) {
        return park(word.record(), word.reason(), word.error(), word.seq(), parking);
    }

    private static Deed park(RawRecord record, Reason reason, ErrorTrail error, @Nullable Place seq, Parking parking) {
        Letter letter = parking.letter(record, record.origin(), new Verdict(reason, 0, error, STAGE, seq));
        return Deed.send(letter.record(), () -> parking.parked(letter));
    }
}
