package io.tailrace.router.deadletter;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outbound;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parks rows of one {@code x}: writes the dead letter, counts it, says so. */
public final class Parking {

    private static final Logger LOG = LoggerFactory.getLogger(Parking.class);

    private final String x;
    private final DeadLetters letters;
    private final Outbound outbound;
    private final RouterMetrics metrics;
    private final InstantSource clock;
    private final Redaction redaction;

    /** @param letters the dead letters of {@code x} */
    public Parking(
            String x,
            DeadLetters letters,
            Redaction redaction,
            Outbound outbound,
            RouterMetrics metrics,
            InstantSource clock) {
        this.x = x;
        this.letters = letters;
        this.redaction = redaction;
        this.outbound = outbound;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Parks a row. */
    public void park(RawRecord record, String rowId, Verdict verdict) {
        Verdict told = verdict.with(redaction.forDeadLetter(x, record, verdict.error()));
        Outgoing letter = letters.compose(redaction.forDeadLetter(x, record), rowId, told, clock.millis());
        outbound.send(letter);
        metrics.deadLettered(x, verdict.reason());
        LOG.error(
                "Dead letter: rowId={} key={} reason={} attempts={} name={} stage={} topic={}; it waits there until it is"
                        + " replayed or discarded",
                OneLine.of(rowId),
                OneLine.of(keyOf(record)),
                verdict.reason(),
                verdict.attempts(),
                OneLine.of(record.headers().text(HeaderName.CE_TYPE).orElse("")),
                verdict.stage(),
                letters.topic());
    }

    /** The row is on its way again: its dead letter goes, in the same transaction. */
    public void release(String rowId) {
        outbound.send(letters.tombstone(rowId));
    }

    private static String keyOf(RawRecord record) {
        Bytes key = record.key();
        return key == null ? "" : key.utf8();
    }
}
