package io.tailrace.engine.capture;

import io.tailrace.engine.log.Change;
import io.tailrace.engine.log.Columns;
import io.tailrace.engine.log.LogPoint;
import io.tailrace.engine.source.TableRow;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Rows read from their table to the raw records that the log would have given: they are dressed as changes and go through the same
 * mapper. Two headers differ from what the log would have said: {@code ce_time} is when the row was written, not when that was
 * committed, and {@code tailrace-xid} is the transaction that wrote the row's present version. Not thread-safe.
 */
public final class TableMapper {

    private final ChangeMapper mapper;
    private final Columns event = Columns.named(CapturedColumns.OUTBOX);
    private final Columns command = Columns.named(CapturedColumns.INTERNAL_COMMAND);

    /** Maps as the engine would. */
    public TableMapper(CaptureSettings settings) {
        this.mapper = new ChangeMapper(settings);
    }

    /** The record of a row. */
    public RawRecord map(TableRow row) {
        Columns columns = row.command() ? command : event;
        @Nullable
        Object[] values = columns.names().stream().map(row.columns()::get).toArray();
        return map(Change.row(at(row.xid(), row.writtenMicros()), columns, values));
    }

    /**
     * The record of an act on a command.
     *
     * @param content as the SQL functions write it into the log
     */
    public RawRecord act(String content, long xid, long micros) {
        return map(
                Change.message(at(xid, micros), ChangeMapper.CONTROL_PREFIX, content.getBytes(StandardCharsets.UTF_8)));
    }

    private RawRecord map(Change change) {
        return mapper.map(change)
                .record()
                .orElseThrow(() -> new IllegalStateException("what a table holds was mapped to nothing"));
    }

    private static LogPoint at(long xid, long micros) {
        return new LogPoint(0, xid, 0, micros);
    }
}
