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
 * What operators say to a row at which a key has stopped. They name the row: if it does not stop its key any more, somebody else was
 * there before, and nothing happens. To replay it is to replay its dead letter, which is there once, so it is no word of this kind.
 *
 * <table>
 *   <caption>acts</caption>
 *   <tr><td>{@code skip}</td><td>to the head only: the key goes on; the dead letter stays, and can be replayed later, late</td></tr>
 *   <tr><td>{@code discard}</td><td>the row leaves its lane, wherever it stands there, and the key goes on unless it stops before it; the
 *       letter goes in the same transaction. To the head only it would leave rows that stop their key and have no letter</td></tr>
 *   <tr><td>any other</td><td>is of a newer release: parked, to be looked at</td></tr>
 * </table>
 */
final class HaltedHeads {

    private static final Logger LOG = LoggerFactory.getLogger(HaltedHeads.class);

    private final String x;
    private final Surroundings around;
    private final Parking parking;

    /** @param x whose lanes: the router's own, or those of a subscription of events. Of commands the table is told, and the router hears of it */
    HaltedHeads(String x, Surroundings around, Parking parking) {
        this.x = x;
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
        LaneKey lane = LaneKey.of(x, word.source(), word.orderingKey(), word.rowId());
        LaneRow named =
                discards ? around.lanes().row(lane, word.seq()) : around.lanes().head(lane);
        if (named == null || !isHaltedAt(named, word)) {
            return Deed.NONE.then(() -> sayWhoIsThere(word, named));
        }
        LaneEvent skipped = LaneEvent.of(
                LaneEvent.Kind.SKIPPED, named.place(), named.standing().turn(), named.record());
        Deed deed = Deed.settle(
                        around.lanes().hear(lane, skipped, around.clock().millis()))
                .then(() -> wentOn(word, discards));
        return discards ? deed.and(parking.tombstone(word.rowId())) : deed;
    }

    private void wentOn(Decoded word, boolean discards) {
        if (!x.equals(Topics.EVENTS)) {
            // An executor that was held up may tell of the death once more: the key would stop at a row that nobody
            // holds.
            around.past().finished().add(x, word.source(), word.rowId(), word.turn());
        }
        LOG.info(
                "Key stops no more at this row, its dead letter {}: of={} rowId={} key={}",
                discards ? "is gone" : "stays",
                x,
                OneLine.of(word.rowId()),
                OneLine.of(word.orderingKey()));
    }

    private static void sayWhoIsThere(Decoded word, @Nullable LaneRow there) {
        LOG.info(
                "Lane command did nothing, the key does not stop at this row: act={} rowId={} key={} there={} state={}",
                word.act(),
                OneLine.of(word.rowId()),
                OneLine.of(word.orderingKey()),
                OneLine.of(there == null ? "" : rowId(there)),
                there == null ? RowState.ABSENT : there.state());
    }

    private static boolean isHaltedAt(LaneRow row, Decoded word) {
        return row.state() == RowState.HALTED && rowId(row).equals(word.rowId());
    }

    private static String rowId(LaneRow row) {
        return row.record().headers().text(HeaderName.CE_ID).orElse("");
    }
}
