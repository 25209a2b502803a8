package io.tailrace.router.deadletter;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outbound;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
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
    private final Function<Headers, Optional<String>> destinationOf;

    /**
     * Parks rows of {@code x}.
     *
     * @param letters the dead letters of {@code x}
     * @param destinationOf where a row with these headers was to go, for its trail
     */
    public Parking(
            String x,
            DeadLetters letters,
            Redaction redaction,
            Function<Headers, Optional<String>> destinationOf,
            Outbound outbound,
            RouterMetrics metrics,
            InstantSource clock) {
        this.x = x;
        this.letters = letters;
        this.redaction = redaction;
        this.destinationOf = destinationOf;
        this.outbound = outbound;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Parks a row. */
    public void park(RawRecord record, String rowId, Verdict verdict) {
        Verdict told = verdict.with(redaction.forDeadLetter(x, record, verdict.error()));
        RawRecord shown = withDestination(redaction.forDeadLetter(x, record));
        Outgoing letter = letters.compose(shown, rowId, told, clock.millis());
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

    /** Only explains: what goes wrong here must not keep a row from being parked that is parked because of just that. */
    private RawRecord withDestination(RawRecord record) {
        Headers headers = record.headers().without(HeaderName.DESTINATION);
        try {
            return record.with(destinationOf
                    .apply(headers)
                    .map(topic -> headers.with(HeaderName.DESTINATION, topic))
                    .orElse(headers));
        } catch (RuntimeException bug) {
            LOG.warn("Where a row was to go cannot be told: {}", bug.toString());
            return record.with(headers);
        }
    }

    private static String keyOf(RawRecord record) {
        Bytes key = record.key();
        return key == null ? "" : key.utf8();
    }
}
