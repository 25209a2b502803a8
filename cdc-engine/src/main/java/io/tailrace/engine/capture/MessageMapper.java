package io.tailrace.engine.capture;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Origin;
import io.tailrace.engine.log.LogPoint;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Outbox messages to raw records: the same headers in the same order, and the same bytes, that {@link RowMapper} makes of a row with
 * these values. Most values go out as the bytes they came in. Total: what the SQL function would have refused was written by hand, and
 * goes out with what is wrong with it.
 */
final class MessageMapper {

    /** Of the table's columns, and of the function's parameters, in characters. */
    private static final int MAX_KEY = 512;

    private static final int MAX_CONTENT_TYPE = 255;

    private static final int UUID_LENGTH = 36;

    /** Of an integer: {@code 2147483647} has ten digits. */
    private static final Pattern TEN_DIGITS = Pattern.compile("-?[0-9]{1,10}");

    private static final Carried[] ORIGIN = {
        new Carried(OutboxMessage.TENANT_ID, "tenant_id", HeaderName.CE_TENANTID, Origin.MAX_ID),
        new Carried(OutboxMessage.USER_ID, "user_id", HeaderName.CE_USERID, Origin.MAX_ID),
        new Carried(OutboxMessage.USER_ROLES, "user_roles", HeaderName.CE_USERROLES, Origin.MAX_ROLES),
        new Carried(OutboxMessage.CORRELATION_ID, "correlation_id", HeaderName.CE_CORRELATIONID, Origin.MAX_ID),
        new Carried(OutboxMessage.CAUSATION_ID, "causation_id", HeaderName.CE_CAUSATIONID, Origin.MAX_ID),
        new Carried(OutboxMessage.TRACEPARENT, "traceparent", HeaderName.TRACEPARENT, Origin.MAX_TRACEPARENT),
    };

    private record Carried(int field, String name, HeaderName header, int maxCharacters) {}

    private final CaptureSettings settings;
    private final byte[] schema;
    private final Bytes kind = Bytes.utf8(Kind.EVENT.text());
    private final Bytes seq;
    private final Bytes source;

    MessageMapper(CaptureSettings settings) {
        this.settings = settings;
        this.schema = settings.tables().schema().getBytes(StandardCharsets.UTF_8);
        this.seq = Bytes.utf8(Integer.toString(settings.epoch()));
        this.source = Bytes.utf8(settings.ceSource());
    }

    /** The record; empty when the message speaks of another schema, and so belongs to another engine. */
    Optional<RawRecord> map(byte[] content, LogPoint at, Bytes ceTime, Bytes xid) {
        OutboxMessage message = OutboxMessage.parse(content);
        if (!message.mayBelongTo(schema)) {
            return Optional.empty();
        }
        RawRecord record =
                message.problem().isEmpty() ? read(message, at, ceTime, xid) : unreadable(message, at, ceTime, xid);
        return Optional.of(settings.limit().fit(record));
    }

    private RawRecord read(OutboxMessage message, LogPoint at, Bytes ceTime, Bytes xid) {
        Headers.Builder out = Headers.builder();
        Problem problem = new Problem();
        Bytes id = id(message, at, problem);
        Bytes key = text(message, OutboxMessage.ORDERING_KEY, "ordering_key", MAX_KEY, problem);
        add(out, HeaderName.CE_SPECVERSION, RowMapper.SPEC_VERSION);
        add(out, HeaderName.CE_ID, id);
        add(out, HeaderName.CE_TYPE, name(message, problem));
        add(out, HeaderName.CE_SOURCE, source);
        add(out, HeaderName.CE_TIME, ceTime);
        if (key != null) {
            add(out, HeaderName.CE_PARTITIONKEY, key);
        }
        version(message, out, problem);
        Bytes value = payload(message, out, problem);
        for (Carried origin : ORIGIN) {
            Bytes text = text(message, origin.field(), origin.name(), origin.maxCharacters(), problem);
            if (text != null) {
                add(out, origin.header(), text);
            }
        }
        ownHeaders(message, out, problem);
        add(out, HeaderName.KIND, kind);
        add(out, HeaderName.SEQ, seq);
        add(out, HeaderName.XID, xid);
        add(out, HeaderName.PAYLOAD, value == null ? RowMapper.NULL : RowMapper.INLINE);
        problem.write(out);
        return new RawRecord(settings.rawEvents(), key == null ? id : key, value, out.build());
    }

    /** All of it is the payload of a dead letter: whoever looks at it must see what was written. */
    private RawRecord unreadable(OutboxMessage message, LogPoint at, Bytes ceTime, Bytes xid) {
        Headers.Builder out = Headers.builder();
        Problem problem = new Problem();
        problem.note(message.problem());
        Bytes id = madeUp(at);
        add(out, HeaderName.CE_SPECVERSION, RowMapper.SPEC_VERSION);
        add(out, HeaderName.CE_ID, id);
        add(out, HeaderName.CE_TYPE, Bytes.utf8(""));
        add(out, HeaderName.CE_SOURCE, source);
        add(out, HeaderName.CE_TIME, ceTime);
        add(out, HeaderName.CONTENT_TYPE, RowMapper.OCTETS);
        add(out, HeaderName.KIND, kind);
        add(out, HeaderName.SEQ, seq);
        add(out, HeaderName.XID, xid);
        add(out, HeaderName.PAYLOAD, RowMapper.INLINE);
        problem.write(out);
        return new RawRecord(settings.rawEvents(), id, Bytes.of(message.content()), out.build());
    }

    private Bytes id(OutboxMessage message, LogPoint at, Problem problem) {
        Bytes id = message.get(OutboxMessage.ID);
        if (id == null || !isUuid(id.array())) {
            problem.note("id is no UUID in lower case");
            return madeUp(at);
        }
        return id;
    }

    /** A dead letter must have an id of its own, and the same one whenever the log is read. */
    private Bytes madeUp(LogPoint at) {
        String place = "%s %d %d".formatted(settings.slot(), at.txId(), at.lsn());
        return Bytes.utf8(
                UUID.nameUUIDFromBytes(place.getBytes(StandardCharsets.UTF_8)).toString());
    }

    private static Bytes name(OutboxMessage message, Problem problem) {
        // However long: names are the router's to judge.
        Bytes name = text(message, OutboxMessage.EVENT_NAME, "event_name", Integer.MAX_VALUE, problem);
        if (name == null) {
            problem.note("event_name is missing");
            return Bytes.utf8("");
        }
        return name;
    }

    private static void version(OutboxMessage message, Headers.Builder out, Problem problem) {
        Bytes version = message.get(OutboxMessage.EVENT_VERSION);
        if (version == null) {
            return;
        }
        if (isInteger(version.utf8())) {
            add(out, HeaderName.CE_EVENTVERSION, version);
        } else {
            problem.note("event_version is no number");
        }
    }

    private static boolean isInteger(String text) {
        if (!TEN_DIGITS.matcher(text).matches()) {
            return false;
        }
        long number = Long.parseLong(text);
        return number == (int) number;
    }

    private static @Nullable Bytes payload(OutboxMessage message, Headers.Builder out, Problem problem) {
        Bytes json = message.get(OutboxMessage.PAYLOAD);
        Bytes binary = message.get(OutboxMessage.PAYLOAD_BINARY);
        Bytes stated = text(message, OutboxMessage.CONTENT_TYPE, "content_type", MAX_CONTENT_TYPE, problem);
        if (json != null && binary != null) {
            problem.note("both payload and payload_binary are set");
        }
        if (stated != null) {
            add(out, HeaderName.CONTENT_TYPE, stated);
        } else if (json != null || binary != null) {
            add(out, HeaderName.CONTENT_TYPE, json != null ? RowMapper.JSON : RowMapper.OCTETS);
        }
        return json != null ? json : binary;
    }

    private static void ownHeaders(OutboxMessage message, Headers.Builder out, Problem problem) {
        Bytes json = message.get(OutboxMessage.HEADERS);
        if (json == null) {
            return;
        }
        RowHeaders own = RowHeaders.parse(json.utf8());
        for (Headers.Entry entry : own.entries()) {
            out.add(entry.key(), entry.value());
        }
        problem.note(own.problem());
    }

    /** A value that is text; what is not becomes text, and is told of. */
    private static @Nullable Bytes text(
            OutboxMessage message, int field, String name, int maxCharacters, Problem problem) {
        Bytes value = message.get(field);
        if (value == null) {
            return null;
        }
        if (message.isAscii()) {
            if (value.length() > maxCharacters) {
                problem.note(tooLong(name, maxCharacters));
            }
        } else if (!isUtf8(value.array())) {
            problem.note(name + " is not UTF-8");
            return Bytes.utf8(value.utf8());
        } else if (value.length() > maxCharacters && value.utf8().codePoints().count() > maxCharacters) {
            problem.note(tooLong(name, maxCharacters));
        }
        return value;
    }

    private static String tooLong(String name, int maxCharacters) {
        return "%s has more than %d characters".formatted(name, maxCharacters);
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            var unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException otherBytes) {
            return false;
        }
    }

    private static boolean isUuid(byte[] id) {
        if (id.length != UUID_LENGTH) {
            return false;
        }
        for (int i = 0; i < UUID_LENGTH; i++) {
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            boolean hex = (id[i] >= '0' && id[i] <= '9') || (id[i] >= 'a' && id[i] <= 'f');
            if (dash ? id[i] != '-' : !hex) {
                return false;
            }
        }
        return true;
    }

    private static void add(Headers.Builder out, HeaderName name, Bytes value) {
        out.add(name.key(), value);
    }
}
