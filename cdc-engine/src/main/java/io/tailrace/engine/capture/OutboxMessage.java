package io.tailrace.engine.capture;

import io.tailrace.contract.record.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The content of an outbox message, taken apart: {@code v1 <lengths>;<values>}, see the SQL function {@code emit}. Anybody may write
 * one by hand, so reading it is total: what does not hold together has a problem and, if as much as that can be read, a schema.
 */
final class OutboxMessage {

    static final int SCHEMA = 0;
    static final int ID = 1;
    static final int EVENT_NAME = 2;
    static final int EVENT_VERSION = 3;
    static final int ORDERING_KEY = 4;
    static final int CONTENT_TYPE = 5;
    static final int HEADERS = 6;
    static final int TENANT_ID = 7;
    static final int USER_ID = 8;
    static final int USER_ROLES = 9;
    static final int CORRELATION_ID = 10;
    static final int CAUSATION_ID = 11;
    static final int TRACEPARENT = 12;
    static final int PAYLOAD = 13;
    static final int PAYLOAD_BINARY = 14;

    private static final int FIELDS = 15;

    /** A later version may have more; the schema stands first in every one. */
    private static final int MOST_FIELDS = 64;

    private static final int NULL = -1;

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The highest bit of each of eight bytes. */
    private static final long NOT_ASCII = 0x8080808080808080L;

    private final byte[] content;

    /** Field {@code i} stands from {@code 2i} to {@code 2i + 1}. */
    private final int[] bounds;

    private final boolean isAscii;
    private final String problem;

    private OutboxMessage(byte[] content, int[] bounds, boolean isAscii, String problem) {
        this.content = content;
        this.bounds = bounds;
        this.isAscii = isAscii;
        this.problem = problem;
    }

    /** Takes a content apart. */
    static OutboxMessage parse(byte[] content) {
        return new Reader(content).read();
    }

    /** Why nothing but the schema can be read; empty when all can. */
    String problem() {
        return problem;
    }

    byte[] content() {
        return content;
    }

    /** Whether all but the payload is ASCII, which is most messages: nothing in it can be ill-formed. */
    boolean isAscii() {
        return isAscii;
    }

    /** Whether the schema is this one, or cannot be told: then it is everybody's. */
    boolean mayBelongTo(byte[] schema) {
        return bounds.length == 0 || Arrays.equals(content, bounds[0], bounds[1], schema, 0, schema.length);
    }

    /** A copy of a field, null when it is null. */
    @Nullable
    Bytes get(int field) {
        int from = bounds[2 * field];
        return from == NULL ? null : Bytes.of(Arrays.copyOfRange(content, from, bounds[2 * field + 1]));
    }

    /** Reads one content; used once. */
    private static final class Reader {

        private final byte[] content;
        private int position;

        Reader(byte[] content) {
            this.content = content;
        }

        OutboxMessage read() {
            if (!taken('v')) {
                return unreadable("it does not begin with 'v'", new int[0]);
            }
            int version = number();
            if (version < 0 || !taken(' ')) {
                return unreadable("no version stands behind its 'v'", new int[0]);
            }
            int[] lengths = new int[MOST_FIELDS];
            int fields = 0;
            do {
                if (fields == MOST_FIELDS) {
                    return unreadable("it lists more than " + MOST_FIELDS + " lengths", new int[0]);
                }
                int length = taken('-') ? NULL : number();
                if (length == NULL && content[position - 1] != '-') {
                    return unreadable("length " + (fields + 1) + " is neither a number nor '-'", new int[0]);
                }
                lengths[fields++] = length;
            } while (taken(','));
            if (!taken(';')) {
                return unreadable("no ';' stands behind its lengths", new int[0]);
            }
            return placed(version, Arrays.copyOf(lengths, fields));
        }

        private OutboxMessage placed(int version, int[] lengths) {
            int[] bounds = new int[2 * lengths.length];
            long at = position;
            for (int i = 0; i < lengths.length; i++) {
                bounds[2 * i] = lengths[i] == NULL ? NULL : (int) Math.min(at, content.length);
                at += Math.max(0, lengths[i]);
                bounds[2 * i + 1] = (int) Math.min(at, content.length);
            }
            boolean hasSchema = lengths[SCHEMA] != NULL && position + (long) lengths[SCHEMA] <= content.length;
            int[] schema = hasSchema ? Arrays.copyOf(bounds, 2) : new int[0];
            if (version != 1) {
                return unreadable("it has version %d, this release reads 1".formatted(version), schema);
            }
            if (!hasSchema) {
                return unreadable("it names no schema", schema);
            }
            if (lengths.length != FIELDS) {
                return unreadable("it lists %d lengths, not %d".formatted(lengths.length, FIELDS), schema);
            }
            if (at != content.length) {
                return unreadable("its lengths make %d bytes, it has %d".formatted(at, content.length), schema);
            }
            return new OutboxMessage(content, bounds, isAscii(position, (int) at - payload(lengths)), "");
        }

        private static int payload(int[] lengths) {
            return Math.max(0, lengths[PAYLOAD]) + Math.max(0, lengths[PAYLOAD_BINARY]);
        }

        private boolean isAscii(int from, int to) {
            long all = 0;
            int i = from;
            for (; i + Long.BYTES <= to; i += Long.BYTES) {
                all |= (long) EIGHT_BYTES.get(content, i);
            }
            for (; i < to; i++) {
                all |= content[i] & NOT_ASCII;
            }
            return (all & NOT_ASCII) == 0;
        }

        private boolean taken(char c) {
            if (position < content.length && content[position] == c) {
                position++;
                return true;
            }
            return false;
        }

        /** A number of up to nine digits, -1 when there is none. */
        private int number() {
            int start = position;
            int number = 0;
            while (position < content.length && position - start < 9 && isDigit(content[position])) {
                number = number * 10 + content[position++] - '0';
            }
            return position == start ? -1 : number;
        }

        private static boolean isDigit(byte c) {
            return c >= '0' && c <= '9';
        }

        private OutboxMessage unreadable(String why, int[] schema) {
            return new OutboxMessage(content, schema, false, "the message cannot be read: " + why);
        }
    }
}
