package io.tailrace.benchmarks.contender;

/**
 * The number of a row, which its payload carries in a form that survives every way of writing JSON down: between two tildes, ten
 * digits. No other part of a row has a tilde.
 */
public final class RowNumber {

    private static final byte MARK = '~';
    private static final int DIGITS = 10;

    /** No row. */
    public static final int NONE = -1;

    private RowNumber() {}

    /** The number in these bytes, or {@link #NONE}. */
    public static int find(byte[] bytes) {
        for (int i = 0; i + DIGITS + 1 < bytes.length; i++) {
            if (bytes[i] == MARK && bytes[i + DIGITS + 1] == MARK) {
                return parse(bytes, i + 1);
            }
        }
        return NONE;
    }

    private static int parse(byte[] bytes, int start) {
        int number = 0;
        for (int i = start; i < start + DIGITS; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return NONE;
            }
            number = number * 10 + digit;
        }
        return number;
    }
}
