package io.tailrace.engine.log;

import org.jspecify.annotations.Nullable;

/**
 * One change as Debezium has decoded it from the log.
 *
 * @param at where it stood
 * @param columns of the row that was inserted; null when it is none
 * @param values of these columns, in their order; of a message its content alone
 * @param prefix of the message; null when it is none
 * @param bytes that it takes, roughly
 */
public record Change(
        LogPoint at,
        @Nullable Columns columns,
        @Nullable Object[] values,
        @Nullable String prefix,
        int bytes) {

    /** What a change takes beside what it holds. */
    private static final int OVERHEAD_BYTES = 200;

    /** A row; {@code values} are texts, numbers and byte arrays. */
    public static Change row(LogPoint at, Columns columns, @Nullable Object[] values) {
        int bytes = OVERHEAD_BYTES;
        for (Object value : values) {
            if (value instanceof String text) {
                bytes += text.length();
            } else if (value instanceof byte[] binary) {
                bytes += binary.length;
            }
        }
        return new Change(at, columns, values, null, bytes);
    }

    /** A logical decoding message. */
    public static Change message(LogPoint at, String prefix, byte[] content) {
        return new Change(at, null, new Object[] {content}, prefix, OVERHEAD_BYTES + content.length);
    }

    /** A sign that all up to a commit has been read. */
    static Change commit(LogPoint at) {
        return new Change(at, null, new Object[0], null, OVERHEAD_BYTES);
    }

    /** Whether it is no more than a sign that all up to a commit has been read. */
    public boolean isCommit() {
        return columns == null && prefix == null;
    }
}
