package io.tailrace.router.store;

import io.tailrace.contract.record.Bytes;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes the elements of a layout. Not for use by two threads. */
public final class ByteWriter {

    private final ByteArrayOutputStream out;

    /** @param expectedSize in bytes; a guess that saves copies */
    public ByteWriter(int expectedSize) {
        this.out = new ByteArrayOutputStream(expectedSize);
    }

    /** One byte. */
    public ByteWriter byte1(int value) {
        out.write(value);
        return this;
    }

    /** Big endian, so that numbers that are not negative sort as bytes. */
    public ByteWriter long8(long value) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            out.write((int) (value >>> shift));
        }
        return this;
    }

    /** Seven bits a byte, lowest first; small for small numbers that are not negative. */
    public ByteWriter varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    /** Length, then the bytes. */
    public ByteWriter bytes(Bytes value) {
        return varint(value.length()).raw(value);
    }

    /** 0 for null, else length plus one, then the bytes. */
    public ByteWriter nullable(@Nullable Bytes value) {
        return value == null ? varint(0) : varint(value.length() + 1L).raw(value);
    }

    /** UTF-8 with its length. */
    public ByteWriter text(String value) {
        return bytes(Bytes.utf8(value));
    }

    /** The bytes alone. */
    public ByteWriter raw(Bytes value) {
        out.writeBytes(value.array());
        return this;
    }

    /** What was written. */
    public Bytes done() {
        return Bytes.of(out.toByteArray());
    }
}
