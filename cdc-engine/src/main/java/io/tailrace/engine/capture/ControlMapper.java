package io.tailrace.engine.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import java.io.IOException;
import java.util.Optional;

/** An act on a command, or on a subscription's row of an event, as the SQL functions write it into the log, to a raw record. Anybody may write a message: total. */
final class ControlMapper {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final CaptureSettings settings;

    ControlMapper(CaptureSettings settings) {
        this.settings = settings;
    }

    /** The record; empty when the message is none of the functions', or speaks of tables in another schema. */
    Optional<RawRecord> map(byte[] content, Bytes ceTime, Bytes xid) {
        JsonNode json;
        try {
            json = JSON.readTree(content);
        } catch (IOException notJson) {
            return Optional.empty();
        }
        Optional<String> act = text(json, "act");
        Optional<String> id = text(json, "id");
        boolean elsewhere = text(json, "schema")
                .filter(schema -> !schema.equals(settings.tables().schema()))
                .isPresent();
        if (act.isEmpty() || id.isEmpty() || elsewhere) {
            return Optional.empty();
        }
        Optional<String> key = text(json, "key");
        Headers.Builder out = Headers.builder()
                .put(HeaderName.CE_SPECVERSION, "1.0")
                .put(HeaderName.CE_ID, id.get())
                .put(HeaderName.CE_TYPE, text(json, "name").orElse(""))
                .put(HeaderName.CE_SOURCE, settings.ceSource())
                .add(HeaderName.CE_TIME.key(), ceTime);
        key.ifPresent(text -> out.put(HeaderName.CE_PARTITIONKEY, text));
        out.put(HeaderName.KIND, Kind.CONTROL.text())
                .put(HeaderName.CONTROL, act.get())
                .put(HeaderName.SEQ, settings.epoch())
                .add(HeaderName.XID.key(), xid);
        text(json, "subscription").ifPresent(name -> out.put(HeaderName.SUBSCRIPTION, name));
        number(json, "turn").ifPresent(turn -> out.put(HeaderName.TURN, turn));
        number(json, "place")
                .filter(packed -> packed >= 0)
                .ifPresent(packed ->
                        out.put(HeaderName.PLACE, Place.unpacked(packed).text()));
        number(json, "runAt").ifPresent(millis -> out.put(HeaderName.NOT_BEFORE, millis));
        RawRecord record = new RawRecord(settings.rawCommands(), Bytes.utf8(key.orElse(id.get())), null, out.build());
        return Optional.of(settings.limit().fit(record));
    }

    private static Optional<String> text(JsonNode json, String name) {
        JsonNode value = json.get(name);
        return value != null && value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
    }

    private static Optional<Long> number(JsonNode json, String name) {
        JsonNode value = json.get(name);
        return value != null && value.canConvertToLong() && value.isIntegralNumber()
                ? Optional.of(value.longValue())
                : Optional.empty();
    }
}
