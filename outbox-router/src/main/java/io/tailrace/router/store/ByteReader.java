package io.tailrace.router.store;

import io.tailrace.contract.record.Bytes;
import io.tailrace.router.lane.UnusableState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads what {@link ByteWriter} wrote. Bytes that do not fit the layout are a torn store, and an exception. */
public final class ByteReader {

    private final byte[] array;
    private int at;

    /** Begins at the first byte. */
    public ByteReader(Bytes bytes) {
        this.array = bytes.array();
    }

    /** Reads the version of a layout and refuses one of the future. */
    public ByteReader version(int newest, String what) {
        int version = byte1();
        if (version < 1 || version > newest) {
            throw new UnusableState(
                    "%s has layout %d, this release reads 1 to %d: it was written by a newer release; run that one"
                            .formatted(what, version, newest));
        }
        return this;
    }

    /** One byte, 0 to 255. */
    public int byte1() {
        if (at == array.length) {
            throw torn();
        }
        return array[at++] & 0xFF;
    }

    /** Eight bytes, big endian. */
    public long long8() {
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = value << 8 | byte1();
        }
        return value;
    }

    /** A {@link ByteWriter#varint(long)}. */
    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = byte1();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw torn();
    }

    /** A {@link ByteWriter#varint(long)} that was an int. */
    public int int4() {
        return Math.toIntExact(varint());
    }

    /** Bytes with their length. */
    public Bytes bytes() {
        return take(int4());
    }

    /** Bytes, or null. */
    public @Nullable Bytes nullable() {
        int length = int4();
        return length == 0 ? null : take(length - 1);
    }

    /** UTF-8 with its length. */
    public String text() {
        return bytes().utf8();
    }

    private Bytes take(int length) {
        if (length < 0 || length > array.length - at) {
            throw torn();
        }
        at += length;
        return Bytes.of(Arrays.copyOfRange(array, at - length, at));
    }

    private static UnusableState torn() {
        return new UnusableState(
                "a value in a store does not fit its layout: the store is torn; delete this instance's state directory,"
                        + " it is rebuilt from Kafka");
    }
}
