package io.tailrace.contract.record;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes with the equality of their content. Shares its array with whoever made it: treat both as immutable. */
public final class Bytes {

    private final byte[] array;

    private Bytes(byte[] array) {
        this.array = array;
    }

    /** Wraps without a copy. */
    public static Bytes of(byte[] array) {
        return new Bytes(array);
    }

    /** The UTF-8 bytes of a text. */
    public static Bytes utf8(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The array itself, not a copy. */
    public byte[] array() {
        return array;
    }

    /** How many there are. */
    public int length() {
        return array.length;
    }

    /** Read as UTF-8; what is not UTF-8 becomes U+FFFD. */
    public String utf8() {
        return new String(array, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(array);
    }

    /** Size and the first bytes in hex: never a whole payload. */
    @Override
    public String toString() {
        int shown = Math.min(array.length, 8);
        return array.length + " bytes " + HexFormat.of().formatHex(array, 0, shown) + (shown < array.length ? "…" : "");
    }
}
