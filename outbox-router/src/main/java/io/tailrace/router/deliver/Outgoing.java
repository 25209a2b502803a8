package io.tailrace.router.deliver;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.header.WireSize;
import io.tailrace.contract.record.Bytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record to be written.
 *
 * @param topic to write it to
 * @param key which also chooses the partition
 * @param value null for a tombstone, or a payload that is SQL NULL
 * @param headers as the reader shall see them
 */
public record Outgoing(
        String topic, @Nullable Bytes key, @Nullable Bytes value, Headers headers) {

    public Outgoing {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(headers, "headers");
    }

    /** The most bytes this record takes on the wire. */
    public int sizeOnWire() {
        return WireSize.of(key, value, headers);
    }
}
