package io.tailrace.router.deadletter;

import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CONTENT_TYPE;
import static io.tailrace.contract.header.HeaderName.CONTROL;
import static io.tailrace.contract.header.HeaderName.ERROR_CLASS;
import static io.tailrace.contract.header.HeaderName.ERROR_MESSAGE;
import static io.tailrace.contract.header.HeaderName.ERROR_STACK;
import static io.tailrace.contract.header.HeaderName.FAILED_AT;
import static io.tailrace.contract.header.HeaderName.FIRST_FAILED_AT;
import static io.tailrace.contract.header.HeaderName.HALTS;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.MAX_DELIVERY_BYTES;
import static io.tailrace.contract.header.HeaderName.NOT_BEFORE;
import static io.tailrace.contract.header.HeaderName.ORIGIN_OFFSET;
import static io.tailrace.contract.header.HeaderName.ORIGIN_PARTITION;
import static io.tailrace.contract.header.HeaderName.ORIGIN_TOPIC;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.PLACE;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.STAGE;
import static io.tailrace.contract.header.HeaderName.STREAMS_EXCEPTION;
import static io.tailrace.contract.header.HeaderName.STREAMS_MESSAGE;
import static io.tailrace.contract.header.HeaderName.STREAMS_OFFSET;
import static io.tailrace.contract.header.HeaderName.STREAMS_PARTITION;
import static io.tailrace.contract.header.HeaderName.STREAMS_STACKTRACE;
import static io.tailrace.contract.header.HeaderName.STREAMS_TOPIC;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.WAIT;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.header.WireSize;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Composes dead letters. Key: the row id, so that the compacted topic is the set of dead letters. Value: the payload bit for bit, and
 * never null, which would be a tombstone; {@code tailrace-payload} says what the value is. Pure.
 *
 * <p>A letter always fits its topic, or the transaction that parks the row would fail for ever. What is too large goes by the board in
 * the order in which it is least missed: the stack and the message of the error, headers of the journey that only explain; then the
 * payload, which stays in the row and in the raw topic (a claim check); at last the row's own headers, and with them the type of the
 * content, which says that the letter is bare.
 *
 * @param topic that takes them
 * @param form of the letters
 */
public record DeadLetters(String topic, LetterForm form) {

    private static final Bytes EMPTY = Bytes.of(new byte[0]);

    /** Longer ones are no ids of rows, and the key cannot be cut: two rows would share a letter. */
    private static final int MAX_ID_LENGTH = 512;

    /** Of a header that is cut. */
    private static final int SHORT = 1024;

    /** Cut first when the delivery headers are too long together: a person misses them least in this order. */
    private static final List<HeaderName> EXPENDABLE =
            List.of(STREAMS_STACKTRACE, ERROR_STACK, STREAMS_MESSAGE, ERROR_MESSAGE);

    /** Without these there is no way back; each is short. */
    private static final Set<HeaderName> ESSENTIAL = EnumSet.of(
            KIND,
            REASON,
            STAGE,
            ATTEMPT,
            SEQ,
            PLACE,
            TURN,
            FAILED_AT,
            FIRST_FAILED_AT,
            PAYLOAD,
            ERROR_CLASS,
            ORIGIN_TOPIC,
            ORIGIN_PARTITION,
            ORIGIN_OFFSET);

    /**
     * The dead letter of a row.
     *
     * @param now milliseconds since the epoch
     */
    Outgoing compose(RawRecord record, String rowId, Verdict verdict, long now) {
        Headers headers = bounded(trail(record, verdict, now));
        Bytes key = Bytes.utf8(rowId.length() <= MAX_ID_LENGTH ? rowId : whereItWasRead(record));
        Bytes value = record.value() == null ? EMPTY : record.value();
        if (fits(key, value, headers)) {
            return new Outgoing(topic, key, value, headers);
        }
        Headers claim = headers.with(PAYLOAD, "omitted");
        return new Outgoing(topic, key, EMPTY, fits(key, EMPTY, claim) ? claim : bare(claim));
    }

    /** Takes a dead letter out of the live set: its row is on its way again. */
    Outgoing tombstone(String rowId) {
        return new Outgoing(topic, Bytes.utf8(rowId), null, Headers.empty());
    }

    private Headers trail(RawRecord record, Verdict verdict, long now) {
        Headers before = record.headers();
        // An executor's answer tells when its handler failed; what the router gives up fails now.
        boolean isAnswer = before.kind().filter(Kind.DEAD::equals).isPresent();
        String failedAt = (isAnswer ? before.text(FAILED_AT) : Optional.<String>empty()).orElse(Long.toString(now));
        Headers.Builder headers = Compose.withError(Compose.origin(record), verdict.error())
                .remove(WAIT)
                .remove(BEHIND)
                // Whether a key stops here is no matter of the letter: it would be wrong once the key was let go on.
                .remove(HALTS)
                .remove(CONTROL)
                .remove(NOT_BEFORE)
                .remove(ERROR_STACK)
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
        Headers trail = headers.build();
        return form.streamsHeaders() ? asStreamsToo(trail) : trail;
    }

    private static Headers asStreamsToo(Headers trail) {
        return trail.toBuilder()
                .putIfPresent(STREAMS_EXCEPTION, trail.text(ERROR_CLASS).orElse(null))
                .putIfPresent(STREAMS_MESSAGE, trail.text(ERROR_MESSAGE).orElse(null))
                .putIfPresent(STREAMS_STACKTRACE, trail.text(ERROR_STACK).orElse(null))
                .putIfPresent(STREAMS_TOPIC, trail.text(ORIGIN_TOPIC).orElse(null))
                .putIfPresent(STREAMS_PARTITION, trail.text(ORIGIN_PARTITION).orElse(null))
                .putIfPresent(STREAMS_OFFSET, trail.text(ORIGIN_OFFSET).orElse(null))
                .build();
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
                return fitting;
            }
            Optional<String> text = fitting.text(name);
            if (text.isPresent()) {
                int length = Bytes.utf8(text.get()).length();
                fitting = fitting.with(name, ErrorTrail.bounded(text.get(), Math.max(0, length - excess)));
            }
        }
        return fitting.deliveryBytes() <= MAX_DELIVERY_BYTES
                ? fitting
                : shortened(fitting.keepingOfDelivery(ESSENTIAL));
    }

    private Headers bare(Headers claim) {
        return shortened(claim.known().without(CONTENT_TYPE));
    }

    /** Each header that Tailrace knows cut short; what has no name of ours is the row's own. */
    private static Headers shortened(Headers headers) {
        Headers.Builder cut = headers.toBuilder();
        for (HeaderName name : HeaderName.values()) {
            headers.text(name)
                    .filter(text -> text.length() > SHORT)
                    .ifPresent(text -> cut.put(name, ErrorTrail.bounded(text, SHORT)));
        }
        return cut.build();
    }

    private boolean fits(Bytes key, Bytes value, Headers headers) {
        return WireSize.of(key, value, headers) <= form.maxBytes();
    }

    private static String whereItWasRead(RawRecord record) {
        return "%s-%d@%d".formatted(record.topic(), record.partition(), record.offset());
    }
}
