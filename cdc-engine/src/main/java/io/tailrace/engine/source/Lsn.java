package io.tailrace.engine.source;

/** Places in the write-ahead log as 64-bit numbers, and the text form of PostgreSQL: {@code 16/B374D848}. */
public final class Lsn {

    private Lsn() {}

    /** As PostgreSQL prints it. */
    public static String text(long lsn) {
        return "%X/%X".formatted(lsn >>> 32, lsn & 0xFFFF_FFFFL);
    }

    /**
     * As PostgreSQL reads it.
     *
     * @throws IllegalArgumentException when the text is no LSN
     */
    public static long parse(String text) {
        int slash = text.indexOf('/');
        try {
            if (slash > 0) {
                long high = Long.parseUnsignedLong(text, 0, slash, 16);
                long low = Long.parseUnsignedLong(text, slash + 1, text.length(), 16);
                if (high >>> 32 == 0 && low >>> 32 == 0) {
                    return high << 32 | low;
                }
            }
        } catch (NumberFormatException | IndexOutOfBoundsException notAnLsn) {
            throw new IllegalArgumentException("'" + text + "' is no LSN", notAnLsn);
        }
        throw new IllegalArgumentException("'" + text + "' is no LSN");
    }

    /** Which of the two lies further on; LSNs are unsigned. */
    public static int compare(long left, long right) {
        return Long.compareUnsigned(left, right);
    }
}
