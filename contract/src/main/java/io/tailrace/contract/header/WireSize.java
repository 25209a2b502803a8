package io.tailrace.contract.header;

import io.tailrace.contract.record.Bytes;
import org.jspecify.annotations.Nullable;

/** How large a record is on the wire: Kafka message format v2, a batch of one record that is not compressed. */
public final class WireSize {

    /** Of a batch. */
    private static final int BATCH_OVERHEAD = 61;

    /** Longest length, attributes, timestamp and offset deltas of a record. */
    private static final int RECORD_OVERHEAD = 21;

    private WireSize() {}

    /**
     * The most bytes that a record takes, counted as Kafka's producer counts before it sends: a record that passes here is not
     * refused there.
     */
    public static int of(@Nullable Bytes key, @Nullable Bytes value, Headers headers) {
        return of(key, value == null ? -1 : value.length(), headers);
    }

    /** @param valueBytes length of the value; less than 0 when it is null */
    public static int of(@Nullable Bytes key, int valueBytes, Headers headers) {
        long size = BATCH_OVERHEAD + RECORD_OVERHEAD + field(key == null ? -1 : key.length()) + field(valueBytes);
        size += varint(headers.entries().size());
        for (Headers.Entry entry : headers.entries()) {
            Bytes value = entry.value();
            size += field(utf8Length(entry.key())) + field(value == null ? -1 : value.length());
        }
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    /** Keys are ASCII as a rule, and every record has a dozen of them: no copy is made to be counted. */
    private static int utf8Length(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return Bytes.utf8(text).length();
            }
        }
        return text.length();
    }

    private static long field(int length) {
        return length < 0 ? 1 : (long) varint(length) + length;
    }

    /** Bytes of a zig-zag varint. */
    private static int varint(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return 1 + (31 - Integer.numberOfLeadingZeros(zigzag | 1)) / 7;
    }
}
