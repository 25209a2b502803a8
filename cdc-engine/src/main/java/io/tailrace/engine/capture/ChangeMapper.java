package io.tailrace.engine.capture;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.engine.capture.Captured.What;
import io.tailrace.engine.log.Change;
import io.tailrace.engine.log.Columns;
import io.tailrace.engine.log.LogPoint;
import io.tailrace.engine.source.Source;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Decoded changes to what they are to Tailrace. No JSON is made or read but the row's own headers. Not thread-safe: one mapper for one
 * run of Debezium, on the thread that it calls.
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
    /** None for the columns of a table that is not ours. */
    private final Map<Columns, Optional<RowMapper>> rows = new IdentityHashMap<>();

    // All rows of a transaction share both, so they are written out once.
    private final InstantText instants = new InstantText();
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
    public Captured map(Change change) {
        if (change.isCommit()) {
            return new Captured(change.at(), What.COMMIT, Optional.empty());
        }
        return change.columns() == null ? message(change) : row(change, change.columns());
    }

    private Captured row(Change change, Columns columns) {
        LogPoint at = change.at();
        Optional<RowMapper> known = rows.get(columns);
        if (known == null) {
            if (rows.size() >= MOST_SHAPES) {
                rows.clear();
            }
            known = CapturedColumns.kindOf(columns).map(kind -> new RowMapper(settings, kind, columns));
            rows.put(columns, known);
        }
        if (known.isEmpty()) {
            return new Captured(at, What.OTHER, Optional.empty());
        }
        RowMapper mapper = known.get();
        if (mapper.kind() == Kind.EVENT) {
            surprises.event(OutboxMode.TABLE);
        }
        return new Captured(at, What.ROW, Optional.of(mapper.map(change.values(), ceTime(at), xid(at))));
    }

    private Captured message(Change message) {
        LogPoint at = message.at();
        String prefix = message.prefix();
        if (prefix == null || !(message.values()[0] instanceof byte[] bytes)) {
            return new Captured(at, What.OTHER, Optional.empty());
        }
        // One outside a transaction is there even if the sender rolled back: whoever wrote it, it is none of ours.
        if (at.txId() == 0) {
            if (prefix.equals(OUTBOX_PREFIX)) {
                surprises.looseMessage();
            }
            return new Captured(at, What.OTHER, Optional.empty());
        }
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

    private Captured event(LogPoint at, byte[] content) {
        Optional<RawRecord> record = messages.map(content, at, ceTime(at), xid(at));
        if (record.isEmpty()) {
            return new Captured(at, What.OTHER, record);
        }
        surprises.event(OutboxMode.MESSAGE);
        return new Captured(at, What.ROW, record);
    }

    private Bytes ceTime(LogPoint at) {
        if (at.commitMicros() != timeMicros) {
            timeMicros = at.commitMicros();
            time = Bytes.utf8(instants.of(timeMicros));
        }
        return time;
    }

    private Bytes xid(LogPoint at) {
        if (at.txId() != xidNumber) {
            xidNumber = at.txId();
            xid = Bytes.utf8(Long.toString(xidNumber));
        }
        return xid;
    }
}
