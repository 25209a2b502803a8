package io.tailrace.router.decode;

import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A record that no attempt can help.
 *
 * @param record as it was read
 * @param rowId of the row; of a record that names none, where it was read, so that its dead letter still has a key of its own
 * @param reason {@code malformed}, what the engine gave up for, or {@code timer-error} for a bug of ours
 * @param error what is wrong
 * @param stage {@code capture} when the engine saw it, {@code route} when it brought about a bug, else {@code decode}
 * @param seq the row's own place, if that much can be read
 */
public record Malformed(
        RawRecord record,
        String rowId,
        Reason reason,
        ErrorTrail error,
        String stage,
        @Nullable Place seq) implements Decoding {

    @Override
    public <T> T match(Function<Decoded, T> decoded, Function<Malformed, T> malformed) {
        return malformed.apply(this);
    }

    @Override
    public void handle(Consumer<Decoded> decoded, Consumer<Malformed> malformed) {
        malformed.accept(this);
    }
}
