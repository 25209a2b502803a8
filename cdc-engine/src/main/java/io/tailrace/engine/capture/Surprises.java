package io.tailrace.engine.capture;

import io.tailrace.contract.record.OutboxMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the log holds although the configuration did not lead anybody to expect it. Said once in a run. For one thread. */
final class Surprises {

    private static final Logger LOG = LoggerFactory.getLogger(Surprises.class);

    private final String slot;
    private final OutboxMode mode;
    private boolean toldOfOtherMode;
    private boolean toldOfLooseMessage;

    Surprises(String slot, OutboxMode mode) {
        this.slot = slot;
        this.mode = mode;
    }

    /** An event came in this way. */
    void event(OutboxMode way) {
        if (way == mode || toldOfOtherMode) {
            return;
        }
        toldOfOtherMode = true;
        if (way == OutboxMode.MESSAGE) {
            LOG.warn(
                    "Events come as messages although outbox.mode is table: they are carried, and cannot be published again from"
                            + " the table. If that is meant, set outbox.mode: message. slot={}",
                    slot);
        } else {
            LOG.warn(
                    "Events come as rows of the outbox although outbox.mode is message: they are carried, at the price of rows."
                            + " slot={}",
                    slot);
        }
    }

    /** An outbox message came outside a transaction. */
    void looseMessage() {
        if (!toldOfLooseMessage) {
            toldOfLooseMessage = true;
            LOG.warn(
                    "A message tailrace.outbox was written outside a transaction: such messages are there even if their sender rolls"
                            + " back, and are not carried. Call tailrace.emit(…), or pg_logical_emit_message with true. slot={}",
                    slot);
        }
    }
}
