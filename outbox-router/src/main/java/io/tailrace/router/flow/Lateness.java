package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.past.Passed;

/**
 * Whether a replayed row comes behind newer ones of its key. It is told while a plan is made; what it takes to tell is noted when the
 * plan is carried out. A row without a key comes behind nobody.
 */
final class Lateness {

    private final Passed passed;

    Lateness(Passed passed) {
        this.passed = passed;
    }

    /** A replayed row says whether newer rows of its key were delivered before it, each time it is looked at. */
    Decoded tell(LaneKey lane, Decoded event) {
        if (!isReplay(event.record()) || event.orderingKey() == null) {
            return event;
        }
        boolean isLate = passed.isLate(lane, event.seq());
        Headers headers = event.record().headers();
        return event.with(isLate ? headers.with(HeaderName.LATE, "true") : headers.without(HeaderName.LATE));
    }

    /** Notes that a row has died. */
    void died(LaneKey lane, Place seq, RawRecord record) {
        if (lane.sort() == LaneKey.Sort.KEYED) {
            passed.died(lane, seq, isReplay(record));
        }
    }

    /** Notes that a row was delivered. */
    void delivered(LaneKey lane, Decoded event) {
        if (event.orderingKey() == null) {
            return;
        }
        passed.delivered(lane, event.seq());
        if (isReplay(event.record())) {
            passed.redeemed(lane);
        }
    }

    private static boolean isReplay(RawRecord record) {
        return record.headers().text(HeaderName.REPLAY_ID).isPresent();
    }
}
