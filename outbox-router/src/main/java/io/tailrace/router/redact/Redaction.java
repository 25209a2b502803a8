package io.tailrace.router.redact;

import static io.tailrace.contract.header.HeaderName.CE_ID;
import static io.tailrace.contract.header.HeaderName.CE_SOURCE;
import static io.tailrace.contract.header.HeaderName.CE_TYPE;
import static io.tailrace.contract.header.HeaderName.CONTENT_TYPE;
import static io.tailrace.contract.header.HeaderName.DESTINATION;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.XID;

import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.contract.redact.Veil;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes the secrets out of copies.
 *
 * @param secrets by name
 * @param topics of the namespace
 * @param maxBytes what the audit feed takes
 * @param scrubs whether somebody waits to hear which rows are done
 * @param subscriptions whose handlers may still need the row of an event that is delivered
 */
public record Redaction(
        Secrets secrets, Topics topics, int maxBytes, boolean scrubs, List<SubscriptionConfig> subscriptions) {

    public Redaction {
        Objects.requireNonNull(secrets, "secrets");
        Objects.requireNonNull(topics, "topics");
        subscriptions = List.copyOf(subscriptions);
    }

    /** Without subscriptions. */
    public Redaction(Secrets secrets, Topics topics, int maxBytes, boolean scrubs) {
        this(secrets, topics, maxBytes, scrubs, List.of());
    }

    /**
     * The copy of a delivered event for the audit feed. Without secrets it is the payload, byte for byte; with them only they are cut
     * out; a payload out of which they cannot be cut is left out, and {@code tailrace-payload} says so.
     *
     * @param delivered one record for each destination, in the order of the route; they differ in nothing else
     */
    public Outgoing auditCopy(Decoded event, List<Outgoing> delivered) {
        Outgoing first = delivered.get(0);
        SecretPaths paths = secrets.ofEvent(event.name());
        Headers.Builder headers = paths.cut(first.headers()).toBuilder()
                .put(DESTINATION, delivered.stream().map(Outgoing::topic).collect(Collectors.joining(",")));
        Bytes payload = first.value();
        if (payload == null) {
            return new Outgoing(
                    topics.auditFeed(),
                    event.record().key(),
                    null,
                    headers.put(PAYLOAD, "null").build());
        }
        Optional<Outgoing> whole = paths.cut(
                        payload, first.headers().text(CONTENT_TYPE).orElse(null))
                .map(cut -> new Outgoing(
                        topics.auditFeed(),
                        event.record().key(),
                        cut,
                        headers.put(PAYLOAD, "inline").build()))
                // A null in the place of a digit makes it longer.
                .filter(copy -> copy.sizeOnWire() <= maxBytes);
        return whole.orElseGet(() -> new Outgoing(
                topics.auditFeed(),
                event.record().key(),
                null,
                headers.put(PAYLOAD, "omitted").build()));
    }

    /**
     * Says that an event with secrets is delivered and its row needs them no more; empty when nobody waits to hear it, or a subscription takes
     * the event: then its secrets go with its row, or when its dead letter has had its time.
     */
    public Optional<Outgoing> doneNote(Decoded event) {
        return scrubs && !secrets.ofEvent(event.name()).isEmpty() && !isSubscribed(event)
                ? Optional.of(note(event, Topics.EVENTS, done(event)))
                : Optional.empty();
    }

    /** Says that a command with secrets was cancelled and will not run; empty when nobody waits to hear it. */
    public Optional<Outgoing> cancelNote(Decoded control) {
        return scrubs && !secrets.ofCommand(control.name()).isEmpty()
                ? Optional.of(note(control, Topics.COMMANDS, done(control).put(TURN, control.turn())))
                : Optional.empty();
    }

    private boolean isSubscribed(Decoded event) {
        return !subscriptions.isEmpty()
                && RowName.event(event.name())
                        .name()
                        .filter(name -> subscriptions.stream()
                                .anyMatch(each -> each.takes(
                                        name,
                                        name.version(event.statedVersion()).orElse(1))))
                        .isPresent();
    }

    private static Headers.Builder done(Decoded about) {
        return Headers.builder()
                .putIfPresent(XID, about.record().headers().text(XID).orElse(null))
                .put(CE_ID, about.rowId())
                .put(CE_TYPE, about.name())
                .put(CE_SOURCE, about.source())
                .put(KIND, Kind.DONE.text())
                .put(SEQ, about.seq().text())
                .put(PAYLOAD, "omitted");
    }

    private Outgoing note(Decoded about, String x, Headers.Builder headers) {
        return new Outgoing(topics.retry(x), about.record().key(), null, headers.build());
    }

    /** The record as its dead letter may show it: that of a row with secrets holds no payload, only what leads to the row. */
    public RawRecord forDeadLetter(String x, RawRecord record) {
        SecretPaths paths = pathsOf(x, record);
        if (paths.isEmpty()) {
            return record;
        }
        Headers.Builder headers = paths.cut(record.headers()).toBuilder();
        if (record.value() != null) {
            headers.put(PAYLOAD, "omitted");
        }
        return new RawRecord(record.topic(), record.partition(), record.offset(), record.key(), null, headers.build());
    }

    /** An error as a dead letter may tell it. */
    public ErrorTrail forDeadLetter(String x, RawRecord record, ErrorTrail error) {
        Headers headers = record.headers();
        Veil veil = pathsOf(x, record)
                .veil(record.value(), headers.text(CONTENT_TYPE).orElse(null), headers);
        return new ErrorTrail(error.errorClass(), veil.over(error.message()), veil.over(error.stack()));
    }

    private SecretPaths pathsOf(String x, RawRecord record) {
        String name = record.headers().text(CE_TYPE).orElse("");
        return x.equals(Topics.COMMANDS) ? secrets.ofCommand(name) : secrets.ofEvent(name);
    }
}
