package io.tailrace.router.decode;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A record that says whose row it is and carries what its kind needs ({@link Decoder} holds the table): the readers below do not
 * fail on it.
 *
 * @param record as it was read
 * @param kind what it says of its row
 * @param rowId {@code ce_id}
 * @param name the declared name, not yet judged
 * @param source {@code ce_source}
 * @param orderingKey null for a row without one
 * @param seq the row's own place in its raw topic
 */
public record Decoded(
        RawRecord record,
        Kind kind,
        String rowId,
        String name,
        String source,
        @Nullable String orderingKey,
        Place seq) implements Decoding {

    /** The same with other headers, from which nothing else was read. */
    public Decoded with(Headers changed) {
        return new Decoded(record.with(changed), kind, rowId, name, source, orderingKey, seq);
    }

    /** The version that the row states, empty when it states none. */
    public OptionalInt statedVersion() {
        return record.headers().smallNumber(HeaderName.CE_EVENTVERSION);
    }

    /** The fence; 0 on a row that was never stamped. */
    public int turn() {
        return record.headers().smallNumber(HeaderName.TURN).orElse(0);
    }

    /** The place within its subscription, once the row has one. */
    public Optional<Place> place() {
        return record.headers().place(HeaderName.PLACE);
    }

    /** Attempts used so far. */
    public int attempts() {
        return record.headers().smallNumber(HeaderName.ATTEMPT).orElse(0);
    }

    /** When a command is due, in milliseconds since the epoch; at once if the record does not say. */
    public long notBefore() {
        return record.headers().number(HeaderName.NOT_BEFORE).orElse(0);
    }

    /** How long the row waits from now on, in milliseconds. */
    public long waitMillis() {
        return Math.max(0, record.headers().number(HeaderName.WAIT).orElse(0));
    }

    /** The act of a control record. */
    public String act() {
        return record.headers().text(HeaderName.CONTROL).orElse("");
    }

    @Override
    public <T> T match(Function<Decoded, T> decoded, Function<Malformed, T> malformed) {
        return decoded.apply(this);
    }

    @Override
    public void handle(Consumer<Decoded> decoded, Consumer<Malformed> malformed) {
        decoded.accept(this);
    }
}
