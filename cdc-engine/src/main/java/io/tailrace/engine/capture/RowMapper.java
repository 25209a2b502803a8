package io.tailrace.engine.capture;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.engine.log.Columns;
import java.time.DateTimeException;
import org.jspecify.annotations.Nullable;

/** Rows of one table, as long as its columns stay the same, to raw records. Not thread-safe. */
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
    private final String topic;
    private final Kind kind;
    private final Bytes kindText;
    private final Bytes seq;
    private final Bytes source;
    private final int id;
    private final int name;
    private final int orderingKey;
    private final int payload;
    private final int payloadBinary;
    private final int contentType;
    private final int headers;
    private final int eventVersion;
    private final int runAt;
    private final int[] origin = new int[ORIGIN.length];

    RowMapper(CaptureSettings settings, Kind kind, Columns columns) {
        this.settings = settings;
        this.kind = kind;
        boolean command = kind == Kind.COMMAND;
        this.topic = command ? settings.rawCommands() : settings.rawEvents();
        this.kindText = Bytes.utf8(kind.text());
        this.seq = Bytes.utf8(Integer.toString(settings.epoch()));
        this.source = Bytes.utf8(settings.ceSource());
        this.id = required(kind, columns, CapturedColumns.ID);
        this.name = required(kind, columns, command ? CapturedColumns.COMMAND_NAME : CapturedColumns.EVENT_NAME);
        this.orderingKey = columns.index(CapturedColumns.ORDERING_KEY);
        this.payload = columns.index(CapturedColumns.PAYLOAD);
        this.payloadBinary = columns.index(CapturedColumns.PAYLOAD_BINARY);
        this.contentType = columns.index(CapturedColumns.CONTENT_TYPE);
        this.headers = columns.index(CapturedColumns.HEADERS);
        this.eventVersion = columns.index(CapturedColumns.EVENT_VERSION);
        this.runAt = columns.index(CapturedColumns.RUN_AT);
        for (int i = 0; i < ORIGIN.length; i++) {
            origin[i] = columns.index(ORIGIN[i].column());
        }
    }

    private static int required(Kind kind, Columns columns, String column) {
        int index = columns.index(column);
        if (index < 0) {
            throw new IllegalStateException("the table of " + kind.text() + "s has no column " + column
                    + ", or the publication leaves it out. Run: tailrace db migrate");
        }
        return index;
    }

    Kind kind() {
        return kind;
    }

    RawRecord map(@Nullable Object[] row, Bytes ceTime, Bytes xid) {
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
        add(out, HeaderName.KIND, kindText);
        add(out, HeaderName.SEQ, seq);
        add(out, HeaderName.XID, xid);
        add(out, HeaderName.PAYLOAD, value == null ? NULL : INLINE);
        if (kind == Kind.COMMAND) {
            notBefore(row, out, problem);
        }
        problem.write(out);
        Bytes recordKey = Bytes.utf8(key == null ? rowId : key);
        return settings.limit().fit(new RawRecord(topic, recordKey, value, out.build()));
    }

    private @Nullable Bytes payload(@Nullable Object[] row, Headers.Builder out, Problem problem) {
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
        return binary == null ? null : Bytes.of((byte[]) binary);
    }

    private void origin(@Nullable Object[] row, Headers.Builder out) {
        for (int i = 0; i < ORIGIN.length; i++) {
            String text = text(row, origin[i]);
            if (text != null) {
                add(out, ORIGIN[i].header(), Bytes.utf8(text));
            }
        }
    }

    private void ownHeaders(@Nullable Object[] row, Headers.Builder out, Problem problem) {
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

    private void notBefore(@Nullable Object[] row, Headers.Builder out, Problem problem) {
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

    private static @Nullable Object get(@Nullable Object[] row, int column) {
        return column < 0 ? null : row[column];
    }

    private static @Nullable String text(@Nullable Object[] row, int column) {
        Object value = get(row, column);
        return value == null ? null : value.toString();
    }

    private static String text(@Nullable Object[] row, int column, String whenNull) {
        String text = text(row, column);
        return text == null ? whenNull : text;
    }
}
