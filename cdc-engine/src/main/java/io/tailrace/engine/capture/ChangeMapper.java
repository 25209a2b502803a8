package io.tailrace.engine.capture;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.engine.capture.Captured.Point;
import io.tailrace.engine.capture.Captured.What;
import io.tailrace.engine.source.Source;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's changes, in Connect's own types, to what they are to Tailrace. No JSON is made or read but the row's own headers. Not
 * thread-safe: one mapper for one run of Debezium, on the thread that it calls.
 */
public final class ChangeMapper {

    /** Prefix of the messages that the SQL functions write. */
    public static final String CONTROL_PREFIX = "tailrace.control";

    /** Prefix of the messages that are events. */
    public static final String OUTBOX_PREFIX = "tailrace.outbox";

    /** A table that is altered again and again must not fill the heap with shapes of the past. */
    private static final int MOST_SHAPES = 64;

    private final CaptureSettings settings;
    private final ControlMapper controls;
    private final MessageMapper messages;
    private final Surprises surprises;
    private final Map<Schema, ChangeShape> shapes = new IdentityHashMap<>();
    private final Map<ChangeShape, RowMapper> rows = new IdentityHashMap<>();

    // All rows of a transaction share both, so they are written out once.
    private long timeMicros = Long.MIN_VALUE;
    private Bytes time = Bytes.utf8("");
    private long xidNumber = Long.MIN_VALUE;
    private Bytes xid = Bytes.utf8("");

    /** A mapper for one run. */
    public ChangeMapper(CaptureSettings settings) {
        this.settings = Objects.requireNonNull(settings);
        this.controls = new ControlMapper(settings);
        this.messages = new MessageMapper(settings);
        this.surprises = new Surprises(settings.slot(), settings.mode());
    }

    /** What a change is; never throws for what a row holds. */
    public Captured map(SourceRecord change) {
        Point at = point(change.sourceOffset());
        if (!(change.value() instanceof Struct value)) {
            return new Captured(at, What.OTHER, Optional.empty());
        }
        ChangeShape shape = shape(value);
        return switch (shape.kind) {
            case COMMIT -> new Captured(at, What.COMMIT, Optional.empty());
            case MESSAGE -> message(at, shape, shape.message(value));
            case FOREIGN -> new Captured(at, What.OTHER, Optional.empty());
            case EVENT, COMMAND -> row(at, shape, shape.inserted(value));
        };
    }

    private Captured row(Point at, ChangeShape shape, @Nullable Struct row) {
        if (row == null) {
            return new Captured(at, What.OTHER, Optional.empty());
        }
        RowMapper mapper = rows.get(shape);
        if (mapper == null) {
            mapper = new RowMapper(settings, shape);
            rows.put(shape, mapper);
        }
        if (shape.kind == ChangeShape.Kind.EVENT) {
            surprises.event(OutboxMode.TABLE);
        }
        return new Captured(at, What.ROW, Optional.of(mapper.map(row, ceTime(at), xid(at))));
    }

    private Captured message(Point at, ChangeShape shape, @Nullable Struct message) {
        String prefix = message == null ? null : shape.prefix(message);
        Object content = message == null ? null : shape.content(message);
        if (prefix == null || content == null) {
            return new Captured(at, What.OTHER, Optional.empty());
        }
        // One outside a transaction is there even if the sender rolled back: whoever wrote it, it is none of ours.
        if (at.txId() == 0) {
            if (prefix.equals(OUTBOX_PREFIX)) {
                surprises.looseMessage();
            }
            return new Captured(at, What.OTHER, Optional.empty());
        }
        byte[] bytes = RowMapper.bytes(content);
        return switch (prefix) {
            case OUTBOX_PREFIX -> event(at, bytes);
            case CONTROL_PREFIX -> {
                Optional<RawRecord> record = controls.map(bytes, ceTime(at), xid(at));
                yield new Captured(at, record.isPresent() ? What.CONTROL : What.OTHER, record);
            }
            case Source.HEARTBEAT_PREFIX -> {
                boolean ours = new String(bytes, StandardCharsets.UTF_8).equals(settings.slot());
                yield new Captured(at, ours ? What.HEARTBEAT : What.OTHER, Optional.empty());
            }
            default -> new Captured(at, What.OTHER, Optional.empty());
        };
    }

    private Captured event(Point at, byte[] content) {
        Optional<RawRecord> record = messages.map(content, at, ceTime(at), xid(at));
        if (record.isEmpty()) {
            return new Captured(at, What.OTHER, record);
        }
        surprises.event(OutboxMode.MESSAGE);
        return new Captured(at, What.ROW, record);
    }

    private ChangeShape shape(Struct value) {
        ChangeShape shape = shapes.get(value.schema());
        if (shape == null) {
            if (shapes.size() >= MOST_SHAPES) {
                shapes.clear();
                rows.clear();
            }
            shape = ChangeShape.of(value);
            shapes.put(value.schema(), shape);
        }
        return shape;
    }

    private Bytes ceTime(Point at) {
        if (at.commitMicros() != timeMicros) {
            timeMicros = at.commitMicros();
            time = Bytes.utf8(Instant.EPOCH.plus(timeMicros, ChronoUnit.MICROS).toString());
        }
        return time;
    }

    private Bytes xid(Point at) {
        if (at.txId() != xidNumber) {
            xidNumber = at.txId();
            xid = Bytes.utf8(Long.toString(xidNumber));
        }
        return xid;
    }

    private static Point point(Map<String, ?> offset) {
        return new Point(
                number(offset, "lsn_commit"), number(offset, "txId"), number(offset, "lsn"), number(offset, "ts_usec"));
    }

    private static long number(Map<String, ?> offset, String key) {
        return offset.get(key) instanceof Number number ? number.longValue() : 0;
    }
}
