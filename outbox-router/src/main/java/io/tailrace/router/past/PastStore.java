package io.tailrace.router.past;

import io.tailrace.contract.record.Bytes;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The memory of a task: small values under keys whose first byte is a room. */
public interface PastStore {

    /** What stands under a key, null when nothing does. */
    @Nullable
    Bytes get(Bytes key);

    /** Writes a value. */
    void put(Bytes key, Bytes value);

    /** Forgets a value. */
    void delete(Bytes key);

    /** Every value of a room. */
    void each(int room, Consumer<Bytes> value);

    /** Whether a room holds anything. */
    boolean isEmpty(int room);
}
