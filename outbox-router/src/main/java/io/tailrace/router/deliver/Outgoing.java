package io.tailrace.router.deliver;

import io.tailrace.contract.header.Headers;
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

    /** Of a batch of one record (Kafka message format v2). */
    private static final int BATCH_OVERHEAD = 61;

    /** Longest length, attributes, timestamp and offset deltas of a record (Kafka message format v2). */
    private static final int RECORD_OVERHEAD = 21;

    public Outgoing {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(headers, "headers");
    }

    /**
     * The most bytes this record takes on the wire, counted as Kafka's producer counts before it sends: a record that passes here
     * is not refused there.
     */
    public int sizeOnWire() {
        int size = BATCH_OVERHEAD + RECORD_OVERHEAD + sizeOf(key) + sizeOf(value);
        size += varint(headers.entries().size());
        for (Headers.Entry entry : headers.entries()) {
            size += sizeOf(Bytes.utf8(entry.key())) + sizeOf(entry.value());
        }
        return size;
    }

    private static int sizeOf(@Nullable Bytes bytes) {
        return bytes == null ? 1 : varint(bytes.length()) + bytes.length();
    }

    /** Bytes of a zig-zag varint. */
    private static int varint(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return 1 + (31 - Integer.numberOfLeadingZeros(zigzag | 1)) / 7;
    }
}
