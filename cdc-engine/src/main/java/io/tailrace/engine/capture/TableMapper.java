package io.tailrace.engine.capture;

import io.tailrace.engine.source.TableRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Rows read from their table to the raw records that the log would have given: they are dressed as changes and go through the same
 * mapper. Two headers differ from what the log would have said: {@code ce_time} is when the row was written, not when that was
 * committed, and {@code tailrace-xid} is the transaction that wrote the row's present version. Not thread-safe.
 */
public final class TableMapper {

    private static final Schema ACT = SchemaBuilder.struct()
            .field("op", Schema.STRING_SCHEMA)
            .field(
                    "message",
                    SchemaBuilder.struct()
                            .field("prefix", Schema.STRING_SCHEMA)
                            .field("content", Schema.BYTES_SCHEMA)
                            .build())
            .build();

    private final ChangeMapper mapper;
    private final Schema event = envelope(CapturedColumns.EVENT_NAME);
    private final Schema command = envelope(CapturedColumns.COMMAND_NAME);

    /** Maps as the engine would. */
    public TableMapper(CaptureSettings settings) {
        this.mapper = new ChangeMapper(settings);
    }

    /** The record of a row. */
    public RawRecord map(TableRow row) {
        Schema schema = row.command() ? command : event;
        Struct after = new Struct(schema.field("after").schema());
        for (Field field : after.schema().fields()) {
            Object value = row.columns().get(field.name());
            after.put(field, value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value);
        }
        return map(new Struct(schema).put("op", "c").put("after", after), row.xid(), row.writtenMicros());
    }

    /**
     * The record of an act on a command.
     *
     * @param content as the SQL functions write it into the log
     */
    public RawRecord act(String content, long xid, long micros) {
        Struct written = new Struct(ACT.field("message").schema())
                .put("prefix", ChangeMapper.CONTROL_PREFIX)
                .put("content", ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
        return map(new Struct(ACT).put("op", "m").put("message", written), xid, micros);
    }

    private RawRecord map(Struct value, long xid, long micros) {
        Map<String, Object> offset = Map.of("txId", xid, "ts_usec", micros);
        SourceRecord change = new SourceRecord(Map.of(), offset, "table", value.schema(), value);
        Optional<RawRecord> record = mapper.map(change).record();
        return record.orElseThrow(() -> new IllegalStateException("what a table holds was mapped to nothing"));
    }

    private static Schema envelope(String nameColumn) {
        SchemaBuilder after = SchemaBuilder.struct().optional();
        boolean isEvent = nameColumn.equals(CapturedColumns.EVENT_NAME);
        for (String column : isEvent ? CapturedColumns.OUTBOX : CapturedColumns.INTERNAL_COMMAND) {
            after.field(
                    column,
                    switch (column) {
                        case CapturedColumns.PAYLOAD_BINARY -> Schema.OPTIONAL_BYTES_SCHEMA;
                        case CapturedColumns.EVENT_VERSION -> Schema.OPTIONAL_INT32_SCHEMA;
                        default -> Schema.OPTIONAL_STRING_SCHEMA;
                    });
        }
        return SchemaBuilder.struct()
                .field("op", Schema.STRING_SCHEMA)
                .field("after", Objects.requireNonNull(after.build()))
                .build();
    }
}
