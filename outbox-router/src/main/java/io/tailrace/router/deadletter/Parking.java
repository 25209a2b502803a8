package io.tailrace.router.deadletter;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parks rows of one {@code x}: composes the dead letter; once it is sent, counts it and says so. */
public final class Parking {

    private static final Logger LOG = LoggerFactory.getLogger(Parking.class);

    private final String x;
    private final DeadLetters letters;
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
            RouterMetrics metrics,
            InstantSource clock) {
        this.x = x;
        this.letters = letters;
        this.redaction = redaction;
        this.destinationOf = destinationOf;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** The dead letter of a row. */
    public Letter letter(RawRecord record, String rowId, Verdict verdict) {
        Verdict told = verdict.with(redaction.forDeadLetter(x, record, verdict.error()));
        RawRecord shown = withDestination(redaction.forDeadLetter(x, record));
        Outgoing letter = letters.compose(shown, rowId, told, clock.millis());
        return new Letter(letter, record, rowId, verdict);
    }

    /** It is sent: the row is parked. */
    public void parked(Letter letter) {
        RawRecord record = letter.row();
        Verdict verdict = letter.verdict();
        metrics.deadLettered(x, verdict.reason());
        LOG.error(
                "Dead letter: rowId={} key={} reason={} attempts={} name={} stage={} topic={}; it waits there until it is"
                        + " replayed or discarded",
                OneLine.of(letter.rowId()),
                OneLine.of(keyOf(record)),
                verdict.reason(),
                verdict.attempts(),
                OneLine.of(record.headers().text(HeaderName.CE_TYPE).orElse("")),
                verdict.stage(),
                letters.topic());
    }

    /** Takes the dead letter of a row away: for the transaction in which it is on its way again. */
    public Outgoing tombstone(String rowId) {
        return letters.tombstone(rowId);
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
