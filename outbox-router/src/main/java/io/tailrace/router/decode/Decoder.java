package io.tailrace.router.decode;

import static io.tailrace.contract.header.HeaderName.CONTROL;
import static io.tailrace.contract.header.HeaderName.NOT_BEFORE;
import static io.tailrace.contract.header.HeaderName.PLACE;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.WAIT;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the records of one topic. Total: every record is decoded or malformed, none is an exception. Stateless.
 *
 * <p>What a kind needs besides the row's identity:
 *
 * <table>
 *   <caption>headers by kind</caption>
 *   <tr><td>command</td><td>not-before</td></tr>
 *   <tr><td>control</td><td>control, turn</td></tr>
 *   <tr><td>failed</td><td>turn, place, wait</td></tr>
 *   <tr><td>behind</td><td>turn, place</td></tr>
 *   <tr><td>early</td><td>wait</td></tr>
 *   <tr><td>done, dead</td><td>turn</td></tr>
 *   <tr><td>event, waiting, replay</td><td>nothing more</td></tr>
 * </table>
 */
public final class Decoder {

    private static final Map<Kind, List<HeaderName>> NEEDS = new EnumMap<>(Map.of(
            Kind.COMMAND, List.of(NOT_BEFORE),
            Kind.CONTROL, List.of(CONTROL, TURN),
            Kind.FAILED, List.of(TURN, PLACE, WAIT),
            Kind.BEHIND, List.of(TURN, PLACE),
            Kind.EARLY, List.of(WAIT),
            Kind.DONE, List.of(TURN),
            Kind.DEAD, List.of(TURN)));

    private static final Set<HeaderName> PLACES = EnumSet.of(PLACE);

    private static final Set<HeaderName> TEXTS = EnumSet.of(CONTROL);

    private static final String CAPTURE = "capture";

    private final Set<Kind> kinds;
    private final boolean isRaw;

    private Decoder(Set<Kind> kinds, boolean isRaw) {
        this.kinds = EnumSet.copyOf(kinds);
        this.isRaw = isRaw;
    }

    /**
     * For a raw topic: there the engine passes on what it could not map, with the reason, and its word stands.
     *
     * @param kinds that the topic carries; any other is malformed there
     */
    public static Decoder ofRaw(Kind... kinds) {
        return new Decoder(EnumSet.copyOf(List.of(kinds)), true);
    }

    /**
     * For what was on its way before: a reason on it tells of its last failure, unless that was the engine's.
     *
     * @param kinds that come so; any other is malformed there
     */
    public static Decoder ofReturned(Kind... kinds) {
        return new Decoder(EnumSet.copyOf(List.of(kinds)), false);
    }

    /** Reads one record. */
    public Decoding decode(RawRecord record) {
        Headers headers = record.headers();
        Optional<Kind> kind = headers.kind().filter(kinds::contains);
        if (kind.isEmpty()) {
            return malformed(record, "kind '%s' does not belong here".formatted(text(headers, HeaderName.KIND)));
        }
        if (headers.text(HeaderName.REASON).isPresent() && (isRaw || isReplayOfAPart(headers, kind.get()))) {
            return flaggedByTheEngine(record, kind.get());
        }
        Optional<String> problem = problemOf(record, kind.get());
        if (problem.isPresent()) {
            return malformed(record, problem.get());
        }
        return seqOf(record, kind.get())
                .<Decoding>map(seq -> new Decoded(
                        record,
                        kind.get(),
                        text(headers, HeaderName.CE_ID),
                        text(headers, HeaderName.CE_TYPE),
                        text(headers, HeaderName.CE_SOURCE),
                        headers.text(HeaderName.CE_PARTITIONKEY).orElse(null),
                        seq))
                .orElseGet(() -> malformed(record, "tailrace-seq is missing or is no place"));
    }

    /** A record that brings about a bug: there is nothing to be done with it but to park it and say so. */
    public static Malformed givenUp(RawRecord record, ErrorTrail bug) {
        return new Malformed(
                record,
                rowIdOf(record),
                Reason.TIMER_ERROR,
                bug,
                "route",
                record.headers().kind().flatMap(kind -> seqOf(record, kind)).orElse(null));
    }

    private static Optional<String> problemOf(RawRecord record, Kind kind) {
        Headers headers = record.headers();
        Bytes key = record.key();
        if (key == null) {
            return Optional.of("the record has no key");
        }
        for (HeaderName name : List.of(HeaderName.CE_ID, HeaderName.CE_TYPE, HeaderName.CE_SOURCE)) {
            if (headers.text(name).isEmpty()) {
                return Optional.of("header " + name.key() + " is missing");
            }
        }
        if (headers.text(HeaderName.CE_ID).filter(String::isEmpty).isPresent()) {
            return Optional.of("the row id is empty");
        }
        for (HeaderName name : NEEDS.getOrDefault(kind, List.of())) {
            if (!isReadable(headers, name)) {
                return Optional.of(
                        "header %s is missing or unreadable on a record of kind '%s'".formatted(name.key(), kind));
            }
        }
        return Optional.empty();
    }

    private static boolean isReadable(Headers headers, HeaderName name) {
        if (PLACES.contains(name)) {
            return headers.place(name).isPresent();
        }
        return TEXTS.contains(name)
                ? headers.text(name).isPresent()
                : headers.number(name).isPresent();
    }

    /** In a raw topic the engine wrote the epoch and the record itself stands at the offset; anywhere else both are written down. */
    private static Optional<Place> seqOf(RawRecord record, Kind kind) {
        Optional<Place> whole = record.headers().place(HeaderName.SEQ);
        if (whole.isPresent() || !isRawKind(kind)) {
            return whole;
        }
        return Place.parse(text(record.headers(), HeaderName.SEQ) + ":" + record.offset());
    }

    private static boolean isRawKind(Kind kind) {
        return kind == Kind.EVENT || kind == Kind.COMMAND || kind == Kind.CONTROL;
    }

    /** Of what the engine gave up, or what did not fit, the record holds only a part: its replay would deliver less than was committed. */
    private static boolean isReplayOfAPart(Headers headers, Kind kind) {
        boolean isCutShort = text(headers, HeaderName.STAGE).equals(CAPTURE)
                || headers.reason().filter(Reason.TOO_LARGE::equals).isPresent()
                        && text(headers, HeaderName.PAYLOAD).equals("omitted");
        return kind == Kind.REPLAY && isCutShort;
    }

    private static Malformed flaggedByTheEngine(RawRecord record, Kind kind) {
        Headers headers = record.headers();
        return new Malformed(
                record,
                rowIdOf(record),
                headers.reason().orElse(Reason.MALFORMED),
                ErrorTrail.of(text(headers, HeaderName.ERROR_CLASS), text(headers, HeaderName.ERROR_MESSAGE)),
                headers.text(HeaderName.STAGE).orElse(CAPTURE),
                seqOf(record, kind).orElse(null));
    }

    private static Malformed malformed(RawRecord record, String problem) {
        return new Malformed(
                record,
                rowIdOf(record),
                Reason.MALFORMED,
                ErrorTrail.of("Malformed", problem),
                "decode",
                record.headers().kind().flatMap(kind -> seqOf(record, kind)).orElse(null));
    }

    private static String rowIdOf(RawRecord record) {
        return record.headers()
                .text(HeaderName.CE_ID)
                .filter(id -> !id.isEmpty())
                .orElseGet(record::origin);
    }

    private static String text(Headers headers, HeaderName name) {
        return headers.text(name).orElse("");
    }
}
