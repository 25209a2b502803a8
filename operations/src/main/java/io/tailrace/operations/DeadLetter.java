package io.tailrace.operations;

import io.tailrace.broker.CompactedTopic.Live;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * A row that was parked, as its dead letter tells it.
 *
 * @param x {@code events}, {@code commands} or a subscription
 * @param rowId the id of the row, as text: whatever stands in the key of the record
 * @param headers all of them, business and delivery
 * @param value the payload, or nothing when {@link #payload()} says so
 * @param partition of the dead letter topic
 * @param offset in that partition
 * @param writtenAtMs when the dead letter was written, milliseconds since 1970
 */
public record DeadLetter(
        String x, String rowId, Headers headers, Bytes value, int partition, long offset, long writtenAtMs) {

    /** What the value is to the payload of the row. */
    public enum Payload {
        INLINE,
        /** The row has none. */
        NULL,
        /** It did not fit, or the row has secrets: it is in the table, and for a while in the raw topic. */
        OMITTED
    }

    /** Rows of a key in the order in which they were committed (commands: became due); the rest in the order they died. */
    static final Comparator<DeadLetter> IN_ORDER = Comparator.comparing(DeadLetter::source)
            .thenComparing(DeadLetter::placeOrFirst)
            .thenComparing(DeadLetter::writtenAtMs)
            .thenComparing(DeadLetter::rowId);

    public DeadLetter {
        Objects.requireNonNull(x, "x");
        Objects.requireNonNull(rowId, "rowId");
        Objects.requireNonNull(headers, "headers");
        Objects.requireNonNull(value, "value");
    }

    static DeadLetter of(String x, Live live) {
        return new DeadLetter(
                x,
                live.key().utf8(),
                live.headers(),
                live.value(),
                live.partition(),
                live.offset(),
                live.timestampMs());
    }

    /** Event or command name; empty when the row has none that could be read. */
    public String name() {
        return text(HeaderName.CE_TYPE);
    }

    /** The database the row came from, {@code <ns>/<database>}. */
    public String source() {
        return text(HeaderName.CE_SOURCE);
    }

    public Optional<String> orderingKey() {
        return headers.text(HeaderName.CE_PARTITIONKEY);
    }

    /** One of the words of {@link io.tailrace.contract.record.Reason}, or what a newer version wrote. */
    public String reason() {
        return text(HeaderName.REASON);
    }

    /** Attempts that were used. */
    public int attempts() {
        return headers.smallNumber(HeaderName.ATTEMPT).orElse(0);
    }

    public String errorClass() {
        return text(HeaderName.ERROR_CLASS);
    }

    public String errorMessage() {
        return text(HeaderName.ERROR_MESSAGE);
    }

    /** When its last attempt failed. */
    public Optional<Instant> failedAt() {
        return instant(HeaderName.FAILED_AT);
    }

    public Optional<Instant> firstFailedAt() {
        return instant(HeaderName.FIRST_FAILED_AT);
    }

    /** When it was last heard of: its failure or, if that is not known or earlier, its writing; milliseconds since 1970. */
    long lastMomentMs() {
        return Math.max(
                writtenAtMs,
                failedAt().or(this::firstFailedAt).map(Instant::toEpochMilli).orElse(writtenAtMs));
    }

    /** How often it was replayed before. */
    public int replayCount() {
        return headers.smallNumber(HeaderName.REPLAY_COUNT).orElse(0);
    }

    public Payload payload() {
        return switch (headers.text(HeaderName.PAYLOAD).orElse("inline")) {
            case "null" -> Payload.NULL;
            case "omitted" -> Payload.OMITTED;
            default -> Payload.INLINE;
        };
    }

    /** The engine could not read the row: the headers are only those that it could. */
    boolean isMalformedRow() {
        return Reason.of(reason()).filter(Reason.MALFORMED::equals).isPresent()
                        // An executor that buries the row writes its own stage.
                        && (x.equals(Topics.COMMANDS) || text(HeaderName.STAGE).equals("capture"))
                || isOrder();
    }

    /** It is no row at all, but word about one, an order or an answer, which the router did not understand. */
    boolean isOrder() {
        return text(HeaderName.STAGE).equals("control");
    }

    /** Of the row it has no more than what names it: not even the headers fitted. */
    boolean isBare() {
        // Whatever has a payload has a type of content.
        return payload() == Payload.OMITTED
                && headers.text(HeaderName.CONTENT_TYPE).isEmpty();
    }

    /** It has not all of its row: the payload is only there, or the values of headers that are secret. */
    boolean refersToItsRow() {
        return payload() == Payload.OMITTED || headers.entries().stream().anyMatch(entry -> entry.value() == null);
    }

    /** It is one of a subscription: its event is at its destination long since. */
    boolean isOfSubscription() {
        return !x.equals(Topics.EVENTS) && !x.equals(Topics.COMMANDS);
    }

    /** Only its row has all of it. An executor of a subscription reads what is missing from the raw topic itself. */
    boolean needsItsRow() {
        return refersToItsRow() && !isOfSubscription();
    }

    /** Where it stands among the rows of its key: for events and their subscriptions the seq, for commands the place. */
    public Optional<Place> place() {
        Optional<Place> place = headers.place(HeaderName.PLACE);
        return x.equals(Topics.COMMANDS) || place.isPresent() ? place : headers.place(HeaderName.SEQ);
    }

    private Place placeOrFirst() {
        return place().orElse(new Place(0, 0));
    }

    private String text(HeaderName name) {
        return headers.text(name).orElse("");
    }

    private Optional<Instant> instant(HeaderName name) {
        return headers.number(name).stream().mapToObj(Instant::ofEpochMilli).findFirst();
    }

    /** Never the payload. */
    @Override
    public String toString() {
        return "DeadLetter[" + x + " " + rowId + " " + name() + " " + reason() + "]";
    }
}
