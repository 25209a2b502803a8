package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.name.Topics;
import io.tailrace.router.deadletter.OneLine;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.RowState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators say to the head at which a key has stopped. They name the row: if it is not the head any more, somebody else was
 * there before, and nothing happens. To replay it is to replay its dead letter, which is there once, so it is no word of this kind.
 *
 * <table>
 *   <caption>acts</caption>
 *   <tr><td>{@code skip}</td><td>the key goes on; the dead letter stays, and can be replayed later, late</td></tr>
 *   <tr><td>{@code discard}</td><td>the key goes on, and the dead letter goes in the same transaction</td></tr>
 *   <tr><td>any other</td><td>is of a newer release: parked, to be looked at</td></tr>
 * </table>
 */
final class HaltedHeads {

    private static final Logger LOG = LoggerFactory.getLogger(HaltedHeads.class);

    private final Surroundings around;
    private final Parking parking;

    HaltedHeads(Surroundings around, Parking parking) {
        this.around = around;
        this.parking = parking;
    }

    Deed hear(Decoded word) {
        return switch (word.act()) {
            case "skip" -> goOn(word, false);
            case "discard" -> goOn(word, true);
            default -> Words.unknown(word, parking);
        };
    }

    private Deed goOn(Decoded word, boolean discards) {
        LaneKey lane = LaneKey.of(Topics.EVENTS, word.source(), word.orderingKey(), word.rowId());
        LaneRow head = around.lanes().head(lane);
        if (head == null || !isHaltedAt(head, word)) {
            return Deed.NONE.then(() -> sayWhoHeadsIt(word, head));
        }
        LaneEvent skipped = LaneEvent.of(
                LaneEvent.Kind.SKIPPED, head.place(), head.standing().turn(), head.record());
        Deed deed = Deed.settle(
                        around.lanes().hear(lane, skipped, around.clock().millis()))
                .then(() -> LOG.info(
                        "Key goes on, its dead letter {}: rowId={} key={}",
                        discards ? "is gone" : "stays",
                        OneLine.of(word.rowId()),
                        OneLine.of(word.orderingKey())));
        return discards ? deed.and(parking.tombstone(word.rowId())) : deed;
    }

    private static void sayWhoHeadsIt(Decoded word, @Nullable LaneRow head) {
        LOG.info(
                "Lane command did nothing, the key does not stop at this row: act={} rowId={} key={} head={} state={}",
                word.act(),
                OneLine.of(word.rowId()),
                OneLine.of(word.orderingKey()),
                OneLine.of(head == null ? "" : rowId(head)),
                head == null ? RowState.ABSENT : head.state());
    }

    private static boolean isHaltedAt(LaneRow head, Decoded word) {
        return head.state() == RowState.HALTED && rowId(head).equals(word.rowId());
    }

    private static String rowId(LaneRow row) {
        return row.record().headers().text(HeaderName.CE_ID).orElse("");
    }
}
