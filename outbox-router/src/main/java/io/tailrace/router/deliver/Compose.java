package io.tailrace.router.deliver;

import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.ERROR_CLASS;
import static io.tailrace.contract.header.HeaderName.ERROR_MESSAGE;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.NOT_BEFORE;
import static io.tailrace.contract.header.HeaderName.ORIGIN_OFFSET;
import static io.tailrace.contract.header.HeaderName.ORIGIN_PARTITION;
import static io.tailrace.contract.header.HeaderName.ORIGIN_TOPIC;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.PLACE;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.STAGE;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.XID;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.RawRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Composes the records that leave, dead letters excepted. Pure. */
public final class Compose {

    /** What a due command carries of its travel so far. */
    private static final List<HeaderName> OF_A_DUE_COMMAND = List.of(XID, PAYLOAD, NOT_BEFORE);

    private Compose() {}

    /**
     * An event at its destination. A replayed one says so, and, if that is written on it, that newer rows of its key were there before.
     *
     * @param key what it is spread over partitions by there; the ordering key still stands in its headers
     */
    public static Outgoing routed(Decoded event, String topic, @Nullable Bytes key) {
        RawRecord record = event.record();
        Headers headers =
                record.headers().forDestination().with(SEQ, event.seq().text());
        return new Outgoing(topic, key, record.value(), headers);
    }

    /** A command that is due: the executor takes all it needs from the row, and the place from where this record lands. */
    public static Outgoing due(Decoded command, String topic) {
        RawRecord record = command.record();
        Headers.Builder headers = travelling(record, OF_A_DUE_COMMAND)
                .put(KIND, Kind.COMMAND.text())
                .put(SEQ, command.seq().text())
                .put(TURN, command.turn());
        command.place().ifPresent(place -> headers.put(PLACE, place.text()));
        return new Outgoing(topic, record.key(), record.value(), headers.build());
    }

    /**
     * A row of a subscription whose turn has come. Reason, errors and attempt of its last failure travel on: they stand on the row's
     * record until it succeeds or fails anew. Only what spoke of the wait that is over does not.
     */
    public static Outgoing released(RawRecord record, String topic, Kind kind, Place place, int turn) {
        Headers headers = record.headers().toBuilder()
                .remove(HeaderName.WAIT)
                .remove(HeaderName.BEHIND)
                .remove(HeaderName.HALTS)
                .remove(HeaderName.CONTROL)
                .put(KIND, kind.text())
                .put(PLACE, place.text())
                .put(TURN, turn)
                .build();
        return new Outgoing(topic, record.key(), record.value(), headers);
    }

    /** A row that the router gives up although it has a row of its own in a handler's database: to be stamped DEAD there. */
    public static Outgoing buried(Outgoing released, Reason reason, ErrorTrail error, String stage) {
        Headers headers = withError(released.headers().toBuilder(), error)
                .put(KIND, Kind.BURY.text())
                .put(REASON, reason.text())
                .put(STAGE, stage)
                .build();
        return new Outgoing(released.topic(), released.key(), released.value(), headers);
    }

    /** A malformed command on its way to be stamped DEAD. */
    public static Outgoing dueAsItIs(RawRecord record, String topic, @Nullable Place seq) {
        Headers.Builder headers = travelling(record, OF_A_DUE_COMMAND);
        if (seq != null) {
            headers.put(SEQ, seq.text());
        }
        return new Outgoing(
                topic, record.key(), record.value(), headers.put(TURN, 0).build());
    }

    /** Shows a row that waits in the router. Its payload stays where it is: a second carrier would deliver twice. */
    public static Outgoing waiting(RawRecord record, Place seq, String topic, int attempts, long notBefore) {
        Headers headers = origin(record)
                .put(SEQ, seq.text())
                .put(KIND, Kind.WAITING.text())
                .put(ATTEMPT, attempts)
                .put(NOT_BEFORE, notBefore)
                .put(PAYLOAD, "omitted")
                .build();
        return new Outgoing(topic, record.key(), null, headers);
    }

    /** All headers of the record, and where it was first read. */
    public static Headers.Builder origin(RawRecord record) {
        Headers headers = record.headers();
        Headers.Builder with = headers.toBuilder();
        if (headers.text(ORIGIN_TOPIC).isEmpty()) {
            with.put(ORIGIN_TOPIC, record.topic())
                    .put(ORIGIN_PARTITION, record.partition())
                    .put(ORIGIN_OFFSET, record.offset());
        }
        return with;
    }

    /** Class and message of an error, replacing those before. */
    public static Headers.Builder withError(Headers.Builder headers, ErrorTrail error) {
        return headers.put(ERROR_CLASS, error.errorClass()).put(ERROR_MESSAGE, error.message());
    }

    private static Headers.Builder travelling(RawRecord record, List<HeaderName> kept) {
        Headers.Builder headers = record.headers().withoutDelivery().toBuilder();
        for (HeaderName name : kept) {
            headers.putIfPresent(name, record.headers().text(name).orElse(null));
        }
        return headers;
    }
}
