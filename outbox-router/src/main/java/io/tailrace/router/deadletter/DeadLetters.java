package io.tailrace.router.deadletter;

import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CONTROL;
import static io.tailrace.contract.header.HeaderName.ERROR_CLASS;
import static io.tailrace.contract.header.HeaderName.ERROR_MESSAGE;
import static io.tailrace.contract.header.HeaderName.ERROR_STACK;
import static io.tailrace.contract.header.HeaderName.FAILED_AT;
import static io.tailrace.contract.header.HeaderName.FIRST_FAILED_AT;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.MAX_DELIVERY_BYTES;
import static io.tailrace.contract.header.HeaderName.NOT_BEFORE;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.STAGE;
import static io.tailrace.contract.header.HeaderName.WAIT;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import java.util.List;
import java.util.Optional;

/**
 * Composes dead letters. Key: the row id, so that the compacted topic is the set of dead letters. Value: the payload bit for bit, and
 * never null, which would be a tombstone; {@code tailrace-payload} says what the value is. Pure.
 */
final class DeadLetters {

    private static final Bytes EMPTY = Bytes.of(new byte[0]);

    /** Cut first when the delivery headers are too long together: a person misses them least in this order. */
    private static final List<HeaderName> EXPENDABLE = List.of(ERROR_STACK, ERROR_MESSAGE);

    private DeadLetters() {}

    /**
     * The dead letter of a row.
     *
     * @param now milliseconds since the epoch
     */
    static Outgoing compose(RawRecord record, String rowId, Verdict verdict, String topic, long now) {
        Headers before = record.headers();
        // An executor's answer tells when its handler failed; what the router gives up fails now.
        boolean isAnswer = before.kind().filter(Kind.DEAD::equals).isPresent();
        String failedAt = (isAnswer ? before.text(FAILED_AT) : Optional.<String>empty()).orElse(Long.toString(now));
        Headers.Builder headers = Compose.withError(Compose.origin(record), verdict.error())
                .remove(WAIT)
                .remove(BEHIND)
                .remove(CONTROL)
                .remove(NOT_BEFORE)
                .put(KIND, Kind.DEAD.text())
                .put(REASON, verdict.reason().text())
                .put(STAGE, verdict.stage())
                .put(ATTEMPT, verdict.attempts())
                .put(FAILED_AT, failedAt)
                .put(FIRST_FAILED_AT, before.text(FIRST_FAILED_AT).orElse(failedAt))
                .put(PAYLOAD, payloadOf(record));
        if (!verdict.error().stack().isEmpty()) {
            headers.put(ERROR_STACK, verdict.error().stack());
        }
        Place seq = verdict.seq();
        if (seq != null) {
            headers.put(SEQ, seq.text());
        }
        Bytes value = record.value();
        return new Outgoing(topic, Bytes.utf8(rowId), value == null ? EMPTY : value, bounded(headers.build()));
    }

    /** Takes a dead letter out of the live set: its row is on its way again. */
    static Outgoing tombstone(String rowId, String topic) {
        return new Outgoing(topic, Bytes.utf8(rowId), null, Headers.empty());
    }

    /** Without a word on the record a null value is the payload NULL; the engine and executors always leave one. */
    private static String payloadOf(RawRecord record) {
        return record.headers().text(PAYLOAD).orElse(record.value() == null ? "null" : "inline");
    }

    private static Headers bounded(Headers headers) {
        Headers fitting = headers;
        for (HeaderName name : EXPENDABLE) {
            int excess = fitting.deliveryBytes() - MAX_DELIVERY_BYTES;
            if (excess <= 0) {
                break;
            }
            String text = fitting.text(name).orElse("");
            int length = Bytes.utf8(text).length();
            fitting = fitting.with(name, ErrorTrail.bounded(text, Math.max(0, length - excess)));
        }
        return fitting.deliveryBytes() <= MAX_DELIVERY_BYTES
                ? fitting
                : fitting.without(ERROR_STACK).without(ERROR_MESSAGE).without(ERROR_CLASS);
    }
}
