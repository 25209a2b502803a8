package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.name.Topics;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.LaneEvent;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.Releaser;
import io.tailrace.router.lane.RowState;
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
 * </table>
 */
final class HaltedHeads {

    private static final Logger LOG = LoggerFactory.getLogger(HaltedHeads.class);

    private final Surroundings around;
    private final Parking parking;
    private final Releaser releaser;

    HaltedHeads(Surroundings around, Parking parking, Releaser releaser) {
        this.around = around;
        this.parking = parking;
        this.releaser = releaser;
    }

    void hear(Decoded word, Budget budget) {
        LaneKey lane = LaneKey.of(Topics.EVENTS, word.source(), word.orderingKey(), word.rowId());
        LaneRow head = around.lanes().head(lane);
        if (head == null || !isHaltedAt(head, word)) {
            LOG.info(
                    "Lane command did nothing, the key does not stop at this row: act={} rowId={} key={} head={} state={}",
                    word.act(),
                    word.rowId(),
                    word.orderingKey(),
                    head == null ? "" : rowId(head),
                    head == null ? RowState.ABSENT : head.state());
            return;
        }
        switch (word.act()) {
            case "skip" ->
                LOG.info("Key goes on, its dead letter stays: rowId={} key={}", word.rowId(), word.orderingKey());
            case "discard" -> {
                parking.release(word.rowId());
                LOG.info("Key goes on, its dead letter is gone: rowId={} key={}", word.rowId(), word.orderingKey());
            }
            default -> {
                LOG.warn(
                        "Lane command not known to this release, passed over: act={} rowId={}",
                        word.act(),
                        word.rowId());
                return;
            }
        }
        LaneEvent skipped = LaneEvent.of(
                LaneEvent.Kind.SKIPPED, head.place(), head.standing().turn(), head.record());
        around.lanes().take(lane, skipped, around.clock().millis(), releaser, budget);
    }

    private static boolean isHaltedAt(LaneRow head, Decoded word) {
        return head.state() == RowState.HALTED && rowId(head).equals(word.rowId());
    }

    private static String rowId(LaneRow row) {
        return row.record().headers().text(HeaderName.CE_ID).orElse("");
    }
}
