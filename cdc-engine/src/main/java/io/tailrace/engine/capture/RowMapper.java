package io.tailrace.engine.capture;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/** Rows of one table, of one schema, to raw records. Not thread-safe; lives as long as the schema object does. */
final class RowMapper {

    static final Bytes SPEC_VERSION = Bytes.utf8("1.0");
    static final Bytes JSON = Bytes.utf8("application/json");
    static final Bytes OCTETS = Bytes.utf8("application/octet-stream");
    static final Bytes INLINE = Bytes.utf8("inline");
    static final Bytes NULL = Bytes.utf8("null");

    /** In this order on the record. */
    private static final Origin[] ORIGIN = {
        new Origin(CapturedColumns.TENANT_ID, HeaderName.CE_TENANTID),
        new Origin(CapturedColumns.USER_ID, HeaderName.CE_USERID),
        new Origin(CapturedColumns.USER_ROLES, HeaderName.CE_USERROLES),
        new Origin(CapturedColumns.CORRELATION_ID, HeaderName.CE_CORRELATIONID),
        new Origin(CapturedColumns.CAUSATION_ID, HeaderName.CE_CAUSATIONID),
        new Origin(CapturedColumns.TRACEPARENT, HeaderName.TRACEPARENT),
    };

    private record Origin(String column, HeaderName header) {}

    private final CaptureSettings settings;
    private final boolean command;
    private final String topic;
    private final Bytes kind;
    private final Bytes seq;
    private final Bytes source;
    private final Field id;
    private final Field name;
    private final @Nullable Field orderingKey;
    private final @Nullable Field payload;
    private final @Nullable Field payloadBinary;
    private final @Nullable Field contentType;
    private final @Nullable Field headers;
    private final @Nullable Field eventVersion;
    private final @Nullable Field runAt;
    private final @Nullable Field[] origin = new Field[ORIGIN.length];

    RowMapper(CaptureSettings settings, ChangeShape shape) {
        this.settings = settings;
        this.command = shape.kind == ChangeShape.Kind.COMMAND;
        this.topic = command ? settings.rawCommands() : settings.rawEvents();
        this.kind = Bytes.utf8((command ? Kind.COMMAND : Kind.EVENT).text());
        this.seq = Bytes.utf8(Integer.toString(settings.epoch()));
        this.source = Bytes.utf8(settings.ceSource());
        this.id = required(shape, CapturedColumns.ID);
        this.name = required(shape, command ? CapturedColumns.COMMAND_NAME : CapturedColumns.EVENT_NAME);
        this.orderingKey = shape.column(CapturedColumns.ORDERING_KEY);
        this.payload = shape.column(CapturedColumns.PAYLOAD);
        this.payloadBinary = shape.column(CapturedColumns.PAYLOAD_BINARY);
        this.contentType = shape.column(CapturedColumns.CONTENT_TYPE);
        this.headers = shape.column(CapturedColumns.HEADERS);
        this.eventVersion = shape.column(CapturedColumns.EVENT_VERSION);
        this.runAt = shape.column(CapturedColumns.RUN_AT);
        for (int i = 0; i < ORIGIN.length; i++) {
            origin[i] = shape.column(ORIGIN[i].column());
        }
    }

    private static Field required(ChangeShape shape, String column) {
        Field field = shape.column(column);
        if (field == null) {
            throw new IllegalStateException("the " + shape.kind + " table has no column " + column
                    + ", or the publication leaves it out. Run: tailrace db migrate");
        }
        return field;
    }

    RawRecord map(Struct row, Bytes ceTime, Bytes xid) {
        Headers.Builder out = Headers.builder();
        Problem problem = new Problem();
        String rowId = text(row, id, "");
        String key = text(row, orderingKey);
        add(out, HeaderName.CE_SPECVERSION, SPEC_VERSION);
        add(out, HeaderName.CE_ID, Bytes.utf8(rowId));
        add(out, HeaderName.CE_TYPE, Bytes.utf8(text(row, name, "")));
        add(out, HeaderName.CE_SOURCE, source);
        add(out, HeaderName.CE_TIME, ceTime);
        if (key != null) {
            add(out, HeaderName.CE_PARTITIONKEY, Bytes.utf8(key));
        }
        Object version = get(row, eventVersion);
        if (version != null) {
            add(out, HeaderName.CE_EVENTVERSION, Bytes.utf8(version.toString()));
        }
        Bytes value = payload(row, out, problem);
        origin(row, out);
        ownHeaders(row, out, problem);
        add(out, HeaderName.KIND, kind);
        add(out, HeaderName.SEQ, seq);
        add(out, HeaderName.XID, xid);
        add(out, HeaderName.PAYLOAD, value == null ? NULL : INLINE);
        if (command) {
            notBefore(row, out, problem);
        }
        problem.write(out);
        Bytes recordKey = Bytes.utf8(key == null ? rowId : key);
        return settings.limit().fit(new RawRecord(topic, recordKey, value, out.build()));
    }

    private @Nullable Bytes payload(Struct row, Headers.Builder out, Problem problem) {
        String text = text(row, payload);
        Object binary = get(row, payloadBinary);
        String stated = text(row, contentType);
        if (text != null && binary != null) {
            problem.note("both payload and payload_binary are set");
        }
        if (stated != null) {
            add(out, HeaderName.CONTENT_TYPE, Bytes.utf8(stated));
        } else if (text != null || binary != null) {
            add(out, HeaderName.CONTENT_TYPE, text != null ? JSON : OCTETS);
        }
        if (text != null) {
            return Bytes.utf8(text);
        }
        return binary == null ? null : Bytes.of(bytes(binary));
    }

    private void origin(Struct row, Headers.Builder out) {
        for (int i = 0; i < ORIGIN.length; i++) {
            String text = text(row, origin[i]);
            if (text != null) {
                add(out, ORIGIN[i].header(), Bytes.utf8(text));
            }
        }
    }

    private void ownHeaders(Struct row, Headers.Builder out, Problem problem) {
        String json = text(row, headers);
        if (json == null) {
            return;
        }
        RowHeaders own = RowHeaders.parse(json);
        for (Headers.Entry entry : own.entries()) {
            out.add(entry.key(), entry.value());
        }
        problem.note(own.problem());
    }

    private void notBefore(Struct row, Headers.Builder out, Problem problem) {
        String text = text(row, runAt);
        try {
            long millis = text == null ? RunAt.ALWAYS : RunAt.millis(text);
            add(out, HeaderName.NOT_BEFORE, Bytes.utf8(Long.toString(millis)));
        } catch (DateTimeException notAnInstant) {
            problem.note("run_at '" + text + "' is no instant");
        }
    }

    private static void add(Headers.Builder out, HeaderName name, Bytes value) {
        out.add(name.key(), value);
    }

    private static @Nullable Object get(Struct row, @Nullable Field field) {
        return field == null ? null : row.get(field);
    }

    private static @Nullable String text(Struct row, @Nullable Field field) {
        Object value = get(row, field);
        return value == null ? null : value.toString();
    }

    private static String text(Struct row, Field field, String whenNull) {
        String text = text(row, field);
        return text == null ? whenNull : text;
    }

    static byte[] bytes(Object binary) {
        if (binary instanceof byte[] array) {
            return array;
        }
        ByteBuffer buffer = ((ByteBuffer) binary).duplicate();
        if (buffer.hasArray() && buffer.arrayOffset() == 0 && buffer.remaining() == buffer.array().length) {
            return buffer.array();
        }
        byte[] array = new byte[buffer.remaining()];
        buffer.get(array);
        return array;
    }
}
